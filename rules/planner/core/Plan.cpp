//===- Plan.cpp - From one layout to another ------------------------------===//

#include "Steps.h"

#include <tuple>

namespace spmd::planner {

namespace {

/// Counts through all ways to give each of several axes a dim or none.
class Assignments {
public:
  Assignments(std::size_t Count, std::size_t Rank) : Rank(Rank), At(Count) {}

  const Targets &get() const { return At; }
  bool next() {
    for (std::optional<unsigned> &X : At) {
      if (!X && Rank)
        X = 0;
      else if (X && *X + 1 < Rank)
        ++*X;
      else {
        X = std::nullopt;
        continue;
      }
      return true;
    }
    return false;
  }

private:
  std::size_t Rank;
  Targets At;
};

/// The axes of \p Of that are not in \p In, those that \p L shards first, in
/// the order in which it does.
Axes without(const Axes &Of, const Axes &In, const Layout &L) {
  Axes Out;
  const auto Add = [&](AxisIndex A) {
    if (contains(Of, A) && !contains(In, A) && !contains(Out, A))
      Out.push_back(A);
  };
  for (const Axes &D : L.Dims)
    std::for_each(D.begin(), D.end(), Add);
  std::for_each(Of.begin(), Of.end(), Add);
  return Out;
}

/// Cuts the dim with the largest pieces once more.
void shardLargest(Layout &L, AxisIndex A, const Shape &S, const DeviceMesh &M) {
  std::size_t Best = 0;
  for (std::size_t D = 1; D < S.size(); ++D)
    if (S[D] * M.sizeOf(L.Dims[Best]) > S[Best] * M.sizeOf(L.Dims[D]))
      Best = D;
  if (!L.Dims.empty())
    L.Dims[Best].push_back(A);
}

/// What may be dropped before a reduction, since every rank of some axes has
/// the same: nothing, what the target does not keep, or all but one copy.
std::vector<Layout> slicesOf(const Layout &From, const Layout &To,
                             const Shape &S, const DeviceMesh &M) {
  std::vector<Layout> Out = {From};
  const auto IsFree = [&](const Layout &L, AxisIndex A) {
    return !L.shards(A) && !From.isPartial(A);
  };
  Layout Kept = From;
  for (std::size_t D = 0; D != To.Dims.size(); ++D)
    for (AxisIndex A : To.Dims[D])
      if (IsFree(Kept, A))
        Kept.Dims[D].push_back(A);
  if (!(Kept == From))
    Out.push_back(Kept);
  Axes Free;
  for (AxisIndex A = 0; A != M.All.size(); ++A)
    if (IsFree(Kept, A))
      Free.push_back(A);
  if (Free.empty() || S.empty())
    return Out;
  // On one dim, and where the pieces are largest.
  Layout Spread = Kept;
  for (AxisIndex A : Free)
    shardLargest(Spread, A, S, M);
  Out.push_back(Spread);
  for (std::size_t D = 0; D != S.size(); ++D) {
    Layout Once = Kept;
    Once.Dims[D].append(Free.begin(), Free.end());
    if (!contains(Out, Once))
      Out.push_back(std::move(Once));
  }
  return Out;
}

/// Tries all plans of the form in Plan.h and keeps the cheapest.
class Search {
public:
  Search(const Layout &To, const Shape &S, const Costs &C)
      : To(To), S(S), C(C) {}

  /// From where nothing is left to reduce. What becomes partial is until then
  /// a shard of some dim, or the same on all ranks of its axis.
  void finish(const PlanBuilder &Start, const Axes &Spread) {
    Assignments Into(Spread.size(), To.Dims.size());
    do {
      Layout Before = To;
      for (std::size_t I = 0; I != Spread.size(); ++I) {
        drop(Before.Partial, Spread[I]);
        if (const std::optional<unsigned> D = Into.get()[I])
          Before.Dims[*D].push_back(Spread[I]);
      }
      // Each set of levels whose ranks share what comes to them over slower
      // ones; the empty set alone when links are alike.
      const unsigned Faster = static_cast<unsigned>(C.levels().size()) - 1;
      for (unsigned Sharing = 0; Sharing != 1u << Faster; ++Sharing) {
        PlanBuilder Rest = Start;
        bool Shared = Sharing == 0;
        for (unsigned Level = 0; Level != Faster; ++Level) {
          if (!(Sharing >> Level & 1))
            continue;
          const Layout Parts = shared(Rest.layout(), Before, Level + 1);
          if (Parts == Before)
            continue;
          Shared = Rest.exchange(Parts, limit());
          if (!Shared)
            break;
        }
        if (Shared && Rest.exchange(Before, limit()) && Rest.toPartial(To))
          consider(Rest.take());
      }
    } while (Into.next());
  }

  void consider(Plan P) {
    const auto Key = [&](const Plan &X) {
      return std::tuple(X.Seconds, X.Peak, X.Steps.size());
    };
    if (!Best || Key(P) < Key(*Best))
      Best = std::move(P);
  }

  /// What a plan takes so far only grows.
  double limit() const {
    return Best ? Best->Seconds : std::numeric_limits<double>::infinity();
  }

  Plan take() { return std::move(*Best); }

private:
  /// Ranks that would have the same of \p Next, and are joined by links of
  /// \p Level or faster, have a part of it each: in a dim that stays as it is,
  /// where one is large enough.
  Layout shared(const Layout &Now, const Layout &Next, unsigned Level) const {
    const DeviceMesh &M = C.mesh();
    Layout Out = Next;
    for (; Level != C.levels().size(); ++Level)
      for (AxisIndex A : C.levels()[Level]) {
        if (Next.shards(A) || Next.isPartial(A))
          continue;
        const auto Stays = [&](std::size_t D) {
          return Now.Dims[D] == Next.Dims[D] &&
                 S[D] % (M.sizeOf(Out.Dims[D]) * M.All[A].Size) == 0;
        };
        std::size_t D = 0;
        while (D != S.size() && !Stays(D))
          ++D;
        if (D != S.size())
          Out.Dims[D].push_back(A);
        else
          shardLargest(Out, A, S, M);
      }
    return Out;
  }

  const Layout &To;
  const Shape &S;
  const Costs &C;
  std::optional<Plan> Best;
};

} // namespace

Plan planRedistribution(const Layout &From, const Layout &To, const Shape &S,
                        const DeviceMesh &M, const Link &Everywhere) {
  const Axes Reduced = without(From.Partial, To.Partial, To);
  const Axes Spread = without(To.Partial, From.Partial, From);
  const Costs C(M, Everywhere);
  Search Plans(To, S, C);
  // Where links are not alike, what stays on the fast ones may win; where
  // shards are not, what is reduced in steps.
  const bool MayBeUneven = std::any_of(
      S.begin(), S.end(), [&](std::int64_t N) { return N % M.ranks() != 0; });
  if (C.levels().size() > 1 || (MayBeUneven && !Reduced.empty())) {
    Plan Simple = planGreedily(From, To, S, M, Everywhere);
    if (Simple.Peak <=
        std::max(largestBlock(From, S, M), largestBlock(To, S, M)))
      Plans.consider(std::move(Simple));
  }
  if (Reduced.empty()) {
    Plans.finish(PlanBuilder(From, S, C), Spread);
    return Plans.take();
  }
  // At once, in parts that need not be at a minor end.
  if (Spread.empty() && M.sizeOf(Reduced) > 1 &&
      std::all_of(Reduced.begin(), Reduced.end(),
                  [&](AxisIndex A) { return To.shards(A); }))
    if (PlanBuilder Start(From, S, C); Start.reduceTo(To, Reduced))
      Plans.consider(Start.take());
  const PlanBuilder Whole(From, S, C);
  for (const Layout &Slice : slicesOf(From, To, S, M)) {
    PlanBuilder Sliced = Whole;
    if (!Sliced.slice(Slice))
      continue;
    Assignments Into(Reduced.size(), From.Dims.size());
    do {
      PlanBuilder Start = Sliced;
      if (Start.reduce(Reduced, Into.get(), Plans.limit()))
        Plans.finish(Start, Spread);
    } while (Into.next());
  }
  return Plans.take();
}

/// Elements that some rank has and wants. Such parts of ranks are equal or
/// apart: in each dim, pieces of one cut meet pieces of another.
static double staying(const Blocks &Has, const Blocks &Wants) {
  std::vector<Block> Parts;
  for (std::size_t R = 0; R != Has.size(); ++R) {
    if (overlap(Has[R], Wants[R]) == 0)
      continue;
    Block &Part = Parts.emplace_back(Has[R]);
    for (std::size_t D = 0; D != Part.Dims.size(); ++D)
      Part.Dims[D] = {std::max(Part.Dims[D].first, Wants[R].Dims[D].first),
                      std::min(Part.Dims[D].second, Wants[R].Dims[D].second)};
  }
  std::sort(Parts.begin(), Parts.end(),
            [](const Block &A, const Block &B) { return A.Dims < B.Dims; });
  double Out = 0;
  for (std::size_t I = 0; I != Parts.size(); ++I)
    if (I == 0 || !(Parts[I] == Parts[I - 1]))
      Out += static_cast<double>(Parts[I].size());
  return Out;
}

double lowerBound(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M) {
  const Axes Reduced = without(From.Partial, To.Partial, To);
  // Who is to hold a value, and who a zero, is free.
  if (!without(To.Partial, From.Partial, From).empty())
    return 0;
  const Blocks Has = blocksOf(From, S, M), Wants = blocksOf(To, S, M);
  double Most = 0, Held = 0, Elements = 1;
  for (std::size_t R = 0; R != Wants.size(); ++R) {
    const std::int64_t Known = Reduced.empty() ? overlap(Has[R], Wants[R]) : 0;
    Most = std::max(Most, static_cast<double>(Wants[R].size() - Known));
    Held += static_cast<double>(Wants[R].size());
  }
  if (Reduced.empty() || M.sizeOf(Reduced) == 1)
    return Reduced.empty() ? Most : 0;
  for (std::int64_t N : S)
    Elements *= static_cast<double>(N);
  // Per element and independent sum: N - 1 additions, and copies to all that
  // want it; but not to one that has a part of the sum, and can add up.
  double Sums = 1;
  for (AxisIndex A : To.Partial)
    Sums *= M.All[A].Size;
  const double Total = Elements * Sums * (M.sizeOf(Reduced) - 1) + Held -
                       staying(Has, Wants) * Sums;
  return std::max(Most, Total / static_cast<double>(Wants.size()));
}

} // namespace spmd::planner
