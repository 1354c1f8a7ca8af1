#include "Redistribution.h"

#include "../MeshState.h"

namespace spmd::detail {
namespace {

using planner::Block;

std::size_t index(int R) { return static_cast<std::size_t>(R); }

Shape shapeOf(const Block &B) {
  Shape Out;
  for (const rules::ElementRange &D : B.Dims)
    Out.insert(Out.size(), rules::lengthOf(D));
  return Out;
}

Block common(const Block &A, const Block &B) {
  Block Out;
  for (std::size_t D = 0; D < A.Dims.size(); ++D) {
    const auto Begin = std::max(A.Dims[D].first, B.Dims[D].first);
    Out.Dims.push_back(
        {Begin, std::max(Begin, std::min(A.Dims[D].second, B.Dims[D].second))});
  }
  return Out;
}

/// Where \p Part begins in the dense array \p Of.
std::int64_t offsetIn(const Block &Of, const Block &Part) {
  const Shape Strides = denseStrides(shapeOf(Of));
  std::int64_t Out = 0;
  for (std::size_t D = 0; D < Of.Dims.size(); ++D)
    Out += (Part.Dims[D].first - Of.Dims[D].first) * Strides[D];
  return Out;
}

/// What is in both, from one dense array to another; nothing if nothing is.
void add(std::vector<BoxCopy> &Out, const Block &To, const Block &From) {
  const Block Both = common(To, From);
  if (Both.size() == 0)
    return;
  const StridedCopy C = {shapeOf(Both), denseStrides(shapeOf(To)),
                         denseStrides(shapeOf(From)), 0};
  Out.push_back({offsetIn(To, Both), offsetIn(From, Both), C.simplified()});
}

/// The part of \p Of that is also in \p With, to or from \p At of a dense run.
void addRun(std::vector<BoxCopy> &Out, const Block &Of, const Block &With,
            std::int64_t At, bool IntoRun) {
  const Block Part = common(Of, With);
  std::vector<BoxCopy> One;
  if (IntoRun)
    add(One, Part, Of);
  else
    add(One, Of, Part);
  for (BoxCopy &C : One) {
    (IntoRun ? C.To : C.From) = At;
    Out.push_back(std::move(C));
  }
}

/// Whether the copies leave every element where it is.
bool keepsPlaces(const std::vector<BoxCopy> &Copies) {
  return std::all_of(Copies.begin(), Copies.end(), [](const BoxCopy &C) {
    return C.To == C.From && C.Box.isRun();
  });
}

std::int64_t sum(const ChunkSizes &Sizes) {
  std::int64_t Out = 0;
  for (std::int64_t N : Sizes)
    Out += N;
  return Out;
}

} // namespace

Redistribution::Redistribution(const Mesh &M, const ParsedSpec &Src,
                               const ParsedSpec &Dst)
    : On(&M), Src(Src), Dst(Dst), Maker(M.state().Maker) {}

Redistribution::Redistribution(const Mesh &M, const ParsedSpec &Src,
                               const ParsedSpec &Dst, const Shape &In)
    : Redistribution(M, Src, Dst) {
  findAxes();
  sizesFrom(In);
  compile();
}

void Redistribution::misfit(const std::string &Why) const {
  fail("spmd::redistribute from '" + Src.str() + "' to '" + Dst.str() +
       "': " + Why);
}

void Redistribution::findAxes() {
  for (const ParsedSpec *S : {&Src, &Dst}) {
    for (const ParsedSpec::Dim &D : S->Dims)
      for (const std::string &Axis : D.Axes)
        On->size(Axis);
    for (const ParsedSpec::Atom &A : S->Rest)
      On->size(A.Axis);
  }
  for (const Mesh::Dim &D : On->dims()) {
    const auto From = Src.on(D.Name), To = Dst.on(D.Name);
    const auto Known = [&](const ParsedSpec &S, std::optional<LocalType> T) {
      return T && (*T != LocalType::V || S.shards(D.Name));
    };
    const bool InSrc = Known(Src, From), InDst = Known(Dst, To);
    if (InSrc != InDst && D.Size > 1)
      misfit("how values on axis '" + D.Name +
             "' make up a tensor is said in '" + (InSrc ? Src : Dst).str() +
             "' alone: say in both what they are, "
             "as in {" +
             D.Name + ": R}");
    if (!InSrc && !InDst)
      continue;
    Ranks.All.push_back({D.Name, D.Size});
    Self = Self * D.Size + On->rank(D.Name);
  }
}

planner::Layout Redistribution::layoutOf(const ParsedSpec &S) const {
  planner::Layout Out;
  Out.Dims.resize(S.Dims.size());
  const auto Find = [&](const std::string &Name) {
    planner::AxisIndex A = 0;
    while (Ranks.All[A].Name != Name)
      ++A;
    return A;
  };
  for (std::size_t D = 0; D < S.Dims.size(); ++D)
    for (const std::string &Axis : S.Dims[D].Axes)
      Out.Dims[D].push_back(Find(Axis));
  for (planner::AxisIndex A = 0; A < Ranks.All.size(); ++A)
    if (S.on(Ranks.All[A].Name) == LocalType::P)
      Out.Partial.push_back(A);
  return Out;
}

void Redistribution::sizesFrom(const Shape &Of) {
  In = Of;
  const auto Dims = [](std::size_t N) {
    return std::to_string(N) + (N == 1 ? " dim" : " dims");
  };
  if (Src.Dims.size() != Dst.Dims.size())
    misfit(Dims(Src.Dims.size()) + " do not become " + Dims(Dst.Dims.size()));
  if (Src.Dims.size() != In.size())
    misfit("the operand has " + Dims(In.size()) + ", its shape is " + In.str());
  for (std::size_t D = 0; D < In.size(); ++D) {
    const ParsedSpec::Dim &From = Src.Dims[D], &To = Dst.Dims[D];
    const std::optional<std::int64_t> Given =
        From.size() ? From.size() : To.size();
    if (From.Extent != To.Extent && From.Extent != "_" && To.Extent != "_" &&
        (!From.size() == !To.size()))
      misfit("dim " + std::to_string(D) + " is " + From.Extent + " and " +
             To.Extent);
    std::int64_t Size = In[D];
    for (const std::string &Axis : From.Axes)
      Size *= On->size(Axis);
    Global.insert(D, Given.value_or(Size));
  }
}

void Redistribution::compile() {
  const planner::Layout From = layoutOf(Src), To = layoutOf(Dst);
  const planner::Shape Sizes(Global.begin(), Global.end());
  planner::Blocks Held = planner::blocksOf(From, Sizes, Ranks);
  if (const Shape Mine = shapeOf(Held[index(Self)]); Mine != In)
    misfit("the operand is " + In.str() + ", this rank's part of " +
           Global.str() + " is " + Mine.str());
  const planner::Plan P = planner::planRedistribution(From, To, Sizes, Ranks);
  planner::Layout Before = From;
  for (const planner::Step &X : P.Steps) {
    planner::Blocks Next = planner::blocksOf(X.After, Sizes, Ranks);
    Stage S = stageOf(X, Before, Held, Next);
    const bool Same =
        S.K == Stage::Local && Held[index(Self)] == Next[index(Self)];
    Before = X.After;
    Held = std::move(Next);
    if (Same)
      continue;
    Identity = false;
    LargestBuffer = std::max({LargestBuffer, S.HeldSize, S.NextSize});
    LargestPacked = std::max(LargestPacked, S.PackedSize);
    LargestReceived = std::max(LargestReceived, S.ReceivedSize);
    Stages.push_back(std::move(S));
  }
  Out = shapeOf(Held[index(Self)]);
  for (const ParsedSpec::Atom &A : Src.Rest)
    if ((A.Type == LocalType::R || A.Type == LocalType::I) &&
        On->size(A.Axis) > 1)
      Alike.emplace_back(On->axis(A.Axis), Placement{A.Type});
  On = nullptr;
}

std::vector<int> Redistribution::groupOf(const planner::Axes &Over) const {
  std::vector<int> Out = {Self};
  int Stride = 1;
  for (planner::AxisIndex A = Ranks.All.size(); A-- > 0;) {
    const int Size = Ranks.All[A].Size;
    if (planner::contains(Over, A)) {
      // Outermost first: what is there is repeated for each coordinate.
      std::vector<int> All;
      for (int Digit = 0; Digit < Size; ++Digit)
        for (int R : Out)
          All.push_back(R + (Digit - Self / Stride % Size) * Stride);
      Out = std::move(All);
    }
    Stride *= Size;
  }
  return Out;
}

Stage Redistribution::stageOf(const planner::Step &X,
                              const planner::Layout &Before,
                              const planner::Blocks &Held,
                              const planner::Blocks &Next) const {
  using planner::StepKind;
  Stage S;
  const Block &Mine = Held[index(Self)], &Wanted = Next[index(Self)];
  S.HeldSize = Mine.size();
  S.NextSize = Wanted.size();
  std::vector<std::string> Names;
  for (planner::AxisIndex A = 0; A < Ranks.All.size(); ++A)
    if (planner::contains(X.Over, A))
      Names.push_back(Ranks.All[A].Name);
  const std::vector<int> Group = groupOf(X.Over);
  if (X.K == StepKind::Slice || Group.size() == 1) {
    add(S.Own, Wanted, Mine);
    return S;
  }
  if (X.K == StepKind::ToPartial) {
    S.K = Stage::ToPartial;
    // One of those with the same element keeps it.
    bool Keeps = true;
    for (planner::AxisIndex A : X.Over)
      Keeps &= Before.shards(A) || Ranks.coordinate(Self, A) == 0;
    if (Keeps)
      add(S.Own, Wanted, Mine);
    return S;
  }
  S.Group = On->flatten(Names);
  if (X.K == StepKind::AllReduce)
    S.K = Stage::AllReduce;
  else if (X.K == StepKind::ReduceScatter)
    scatter(S, Group, Held, Next);
  else
    exchange(S, X, Before, Held, Next);
  return S;
}

void Redistribution::scatter(Stage &S, const std::vector<int> &Group,
                             const planner::Blocks &Held,
                             const planner::Blocks &Next) const {
  S.K = Stage::ReduceScatter;
  const Block &Mine = Held[index(Self)];
  std::int64_t At = 0;
  for (int R : Group) {
    addRun(S.Pack, Mine, Next[index(R)], At, /*IntoRun=*/true);
    S.Received.push_back(Next[index(R)].size());
    At += S.Received.back();
  }
  if (keepsPlaces(S.Pack))
    S.Pack.clear();
  S.PackedSize = S.Pack.empty() ? 0 : At;
  S.Even = std::all_of(S.Received.begin(), S.Received.end(),
                       [&](std::int64_t N) { return N == S.Received[0]; });
}

void Redistribution::exchange(Stage &S, const planner::Step &X,
                              const planner::Layout &Before,
                              const planner::Blocks &Held,
                              const planner::Blocks &Next) const {
  const std::vector<int> Group = groupOf(X.Over);
  // Of the ranks with one block, which differ on axes that shard nothing, each
  // sends to those that are where it is on these.
  const auto Sends = [&](int From, int To) {
    for (planner::AxisIndex A : X.Over)
      if (!Before.shards(A) &&
          Ranks.coordinate(From, A) != Ranks.coordinate(To, A))
        return false;
    return true;
  };
  const auto Amount = [&](int From, int To) {
    return Sends(From, To)
               ? planner::overlap(Held[index(From)], Next[index(To)])
               : 0;
  };
  bool Gathers = true, Even = true;
  const std::int64_t Each = Amount(Group[0], Group[0]);
  for (int From : Group)
    for (int To : Group) {
      const std::int64_t N = Amount(From, To);
      Gathers &= N == Held[index(From)].size();
      Even &= N == Each;
    }
  S.K = Gathers ? Stage::AllGather : Stage::AllToAll;
  S.Even = Even;
  // A transport need not bring what is here; but where all parts are alike it
  // has a call of its own.
  const bool KeepsOwn = !Gathers && !Even;
  const Block &Mine = Held[index(Self)], &Wanted = Next[index(Self)];
  if (KeepsOwn)
    add(S.Own, Wanted, Mine);
  for (int R : Group) {
    const bool Skips = KeepsOwn && R == Self;
    S.Sent.push_back(Skips ? 0 : Amount(Self, R));
    S.Received.push_back(Skips ? 0 : Amount(R, Self));
    if (S.Sent.back() && !Gathers)
      addRun(S.Pack, Mine, Next[index(R)], sum(S.Sent) - S.Sent.back(),
             /*IntoRun=*/true);
    if (S.Received.back())
      addRun(S.Unpack, Wanted, Held[index(R)],
             sum(S.Received) - S.Received.back(), /*IntoRun=*/false);
  }
  // What is already in place, and all of it, needs no buffer.
  if (keepsPlaces(S.Pack))
    S.Pack.clear();
  if (keepsPlaces(S.Unpack) && S.Own.empty())
    S.Unpack.clear();
  S.PackedSize = S.Pack.empty() ? 0 : sum(S.Sent);
  S.ReceivedSize = S.Unpack.empty() ? 0 : sum(S.Received);
}

const Redistribution &Redistribution::dual(const Mesh &M) const {
  std::call_once(DualOnce, [&] {
    std::unique_ptr<Redistribution> Back(
        new Redistribution(M, Dst.dual(), Src.dual()));
    Back->Ranks = Ranks;
    Back->Self = Self;
    Back->Global = Global;
    Back->In = Out;
    Back->compile();
    Dual = std::move(Back);
  });
  return *Dual;
}

rules::OperatorKind Stage::op() const {
  switch (K) {
  case AllReduce:
    return rules::OperatorKind::AllReduce;
  case ReduceScatter:
    return rules::OperatorKind::ReduceScatter;
  case AllGather:
    return rules::OperatorKind::AllGather;
  case AllToAll:
    return rules::OperatorKind::AllToAll;
  case Local:
  case ToPartial:
    break;
  }
  return rules::OperatorKind::Convert;
}

} // namespace spmd::detail
