//===- Steps.cpp - Single steps, and what they cost -----------------------===//

#include "Steps.h"

#include "spmd/types/Traffic.h"

namespace spmd::planner {

const char *stepName(StepKind K) {
  constexpr const char *Names[] = {
      "slice",    "all_gather",     "all_to_all", "permute",
      "exchange", "reduce_scatter", "all_reduce", "convert to partial"};
  return Names[static_cast<int>(K)];
}

/// The axes on which ranks differ that must speak to each other.
static Axes involvedAxes(const Layout &From, const Layout &To) {
  Axes Out;
  const auto Add = [&](const Axes &Of, std::size_t From) {
    for (std::size_t I = From; I != Of.size(); ++I)
      if (!contains(Out, Of[I]))
        Out.push_back(Of[I]);
  };
  for (std::size_t D = 0; D != From.Dims.size(); ++D) {
    const Axes &A = From.Dims[D], &B = To.Dims[D];
    if (A == B)
      continue;
    std::size_t Common = 0;
    while (Common < std::min(A.size(), B.size()) && A[Common] == B[Common])
      ++Common;
    Add(A, Common);
    Add(B, Common);
  }
  std::sort(Out.begin(), Out.end());
  return Out;
}

/// Of what is compared with a limit, so that equal plans are all seen.
static constexpr double Rounding = 1 - 1e-9;

static std::shared_ptr<const Blocks> share(Blocks B) {
  return std::make_shared<const Blocks>(std::move(B));
}

PlanBuilder::PlanBuilder(const Layout &From, const Shape &S, const Costs &C)
    : S(S), C(C), M(C.mesh()), Now(From), Held(share(blocksOf(From, S, M))) {
  Out.Peak = largestBlock(From, S, M);
}

void PlanBuilder::add(StepKind K, Axes Over, const Layout &After, Blocks Next,
                      double Received, double Seconds) {
  Step X{K, std::move(Over), After, Received, Seconds};
  Out.Received += Received;
  Out.Seconds += Seconds;
  Out.Collectives += X.communicates();
  Out.Peak = std::max(Out.Peak, largestBlock(After, S, M));
  Out.Steps.push_back(std::move(X));
  Now = After;
  Held = share(std::move(Next));
}

/// What an exchange of blocks is called.
StepKind PlanBuilder::nameOf(const Layout &To, const Blocks &Next) const {
  Axes Lost, Gained;
  bool AtMinorEnds = true;
  for (std::size_t D = 0; D != Now.Dims.size(); ++D) {
    const Axes &A = Now.Dims[D], &B = To.Dims[D];
    const std::size_t Common = std::min(A.size(), B.size());
    AtMinorEnds &= std::equal(A.begin(), A.begin() + Common, B.begin());
    Lost.append(A.begin() + Common, A.end());
    Gained.append(B.begin() + Common, B.end());
  }
  if (AtMinorEnds && Gained.empty())
    return StepKind::AllGather;
  std::sort(Lost.begin(), Lost.end());
  std::sort(Gained.begin(), Gained.end());
  if (AtMinorEnds && Lost == Gained)
    return StepKind::AllToAll;
  const bool Whole = std::all_of(Next.begin(), Next.end(), [&](const Block &B) {
    return contains(*Held, B);
  });
  return Whole ? StepKind::Permute : StepKind::Exchange;
}

/// What can be cut before an exchange, so that fewer ranks take part in it.
Layout PlanBuilder::cutTowards(const Layout &To) const {
  Layout Out = Now;
  for (std::size_t D = 0; D != To.Dims.size(); ++D) {
    const Axes &Has = Now.Dims[D], &Wants = To.Dims[D];
    if (Has.size() >= Wants.size() ||
        !std::equal(Has.begin(), Has.end(), Wants.begin()))
      continue;
    for (std::size_t I = Has.size(); I != Wants.size(); ++I) {
      if (Now.shards(Wants[I]) || Now.isPartial(Wants[I]))
        break;
      Out.Dims[D].push_back(Wants[I]);
    }
  }
  return Out;
}

bool PlanBuilder::exchange(const Layout &To, double Limit) {
  if (To == Now)
    return true;
  Blocks Next = blocksOf(To, S, M);
  std::int64_t Received = 0;
  for (std::size_t R = 0; R != Next.size(); ++R)
    Received =
        std::max(Received, Next[R].size() - overlap(Next[R], (*Held)[R]));
  if (Received == 0) {
    add(StepKind::Slice, {}, To, std::move(Next), 0, 0);
    return true;
  }
  if (Rounding * (Out.Seconds + C.atLeast(static_cast<double>(Received))) >
      Limit)
    return false;
  if (const Layout Cut = cutTowards(To); !(Cut == Now))
    add(StepKind::Slice, {}, Cut, blocksOf(Cut, S, M), 0, 0);
  const StepKind K = nameOf(To, Next);
  Axes Over = involvedAxes(Now, To);
  const double Elements = static_cast<double>(Received);
  const double Seconds = K == StepKind::AllGather
                             ? C.ofRing(Over, Elements)
                             : C.ofExchange(Over, Elements, Now, *Held, Next);
  add(K, std::move(Over), To, std::move(Next), Elements, Seconds);
  return true;
}

bool PlanBuilder::hasAll(const Blocks &Next) const {
  for (std::size_t R = 0; R != Next.size(); ++R)
    if (!(*Held)[R].contains(Next[R]))
      return false;
  return true;
}

bool PlanBuilder::slice(const Layout &To) {
  if (To == Now)
    return true;
  Blocks Next = blocksOf(To, S, M);
  if (!hasAll(Next))
    return false;
  add(StepKind::Slice, {}, To, std::move(Next), 0, 0);
  return true;
}

bool PlanBuilder::reduce(const Axes &Over, const Targets &Into, double Limit) {
  Layout After = Now;
  Axes Scattered, Reduced;
  for (std::size_t I = 0; I != Over.size(); ++I) {
    drop(After.Partial, Over[I]);
    if (Into[I])
      After.Dims[*Into[I]].push_back(Over[I]);
    (Into[I] ? Scattered : Reduced).push_back(Over[I]);
  }
  const std::int64_t Largest = largestBlock(After, S, M);
  // A rank receives its piece from each of the others; on a ring, what it
  // sends.
  const double ToScatter =
      static_cast<double>(Largest) * (M.sizeOf(Scattered) - 1);
  const double ToReduce =
      rules::elementsSent(rules::trafficOf(rules::OperatorKind::AllReduce),
                          Largest, M.sizeOf(Reduced));
  const double Scatters =
      Scattered.empty() ? 0 : C.ofRing(Scattered, ToScatter);
  const double Reduces = Reduced.empty() ? 0 : C.ofRing(Reduced, ToReduce);
  if (Rounding * (Out.Seconds + Scatters + Reduces) > Limit)
    return false;
  Blocks Next = blocksOf(After, S, M);
  if (!hasAll(Next))
    return false;
  if (!Scattered.empty()) {
    Layout Middle = After;
    Middle.Partial.append(Reduced.begin(), Reduced.end());
    std::sort(Middle.Partial.begin(), Middle.Partial.end());
    add(StepKind::ReduceScatter, Scattered, Middle, Next, ToScatter, Scatters);
  }
  if (!Reduced.empty())
    add(StepKind::AllReduce, Reduced, After, std::move(Next), ToReduce,
        Reduces);
  return true;
}

bool PlanBuilder::reduceTo(const Layout &To, const Axes &Over) {
  Blocks Next = blocksOf(To, S, M);
  if (!hasAll(Next))
    return false;
  const double Elements =
      static_cast<double>(largestBlock(To, S, M)) * (M.sizeOf(Over) - 1);
  add(StepKind::ReduceScatter, Over, To, std::move(Next), Elements,
      C.ofRing(Over, Elements));
  return true;
}

bool PlanBuilder::toPartial(const Layout &To) {
  if (To == Now)
    return true;
  Blocks Next = blocksOf(To, S, M);
  for (std::size_t R = 0; R != Next.size(); ++R)
    if (!Next[R].contains((*Held)[R]))
      return false;
  Axes Over;
  for (AxisIndex A : To.Partial)
    if (!Now.isPartial(A))
      Over.push_back(A);
  add(StepKind::ToPartial, std::move(Over), To, std::move(Next), 0, 0);
  return true;
}

} // namespace spmd::planner
