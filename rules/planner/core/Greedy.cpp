//===- Greedy.cpp - One axis at a time ------------------------------------===//

#include "Steps.h"

namespace spmd::planner {

namespace {

/// How many axes of a dim may stay where they are.
std::size_t commonPrefix(const Axes &A, const Axes &B) {
  std::size_t Out = 0;
  while (Out < std::min(A.size(), B.size()) && A[Out] == B[Out])
    ++Out;
  return Out;
}

class Greedy {
public:
  Greedy(const Layout &From, const Layout &To, const Shape &S, const Costs &C)
      : To(To), Build(From, S, C) {}

  Plan run() {
    for (AxisIndex A : Axes(Build.layout().Partial))
      if (!To.isPartial(A))
        reduce(A);
    for (unsigned D = 0; D != To.Dims.size(); ++D)
      while (Build.layout().Dims[D].size() >
             commonPrefix(Build.layout().Dims[D], To.Dims[D]))
        removeMinor(D);
    for (unsigned D = 0; D != To.Dims.size(); ++D)
      while (Build.layout().Dims[D].size() < To.Dims[D].size()) {
        Layout Next = Build.layout();
        Next.Dims[D].push_back(To.Dims[D][Next.Dims[D].size()]);
        // Still in the way of another dim: that one comes first.
        if (Build.layout().shards(Next.Dims[D].back()))
          break;
        Build.exchange(Next);
      }
    Layout Before = To;
    for (AxisIndex A : To.Partial)
      if (!Build.layout().isPartial(A))
        drop(Before.Partial, A);
    Build.exchange(Before);
    (void)Build.toPartial(To); // of what is the same on all ranks
    return Build.take();
  }

private:
  /// The dim that wants \p A next at its minor end, if one does.
  std::optional<unsigned> wanting(AxisIndex A) const {
    for (unsigned D = 0; D != To.Dims.size(); ++D) {
      const Axes &Has = Build.layout().Dims[D];
      if (Has.size() < To.Dims[D].size() && To.Dims[D][Has.size()] == A &&
          commonPrefix(Has, To.Dims[D]) == Has.size())
        return D;
    }
    return std::nullopt;
  }

  void reduce(AxisIndex A) {
    if (!Build.reduce({A}, {wanting(A)}))
      Build.reduce({A}, {std::optional<unsigned>()});
  }

  /// To another dim, or to every rank.
  void removeMinor(unsigned D) {
    Layout Next = Build.layout();
    const AxisIndex A = Next.Dims[D].back();
    Next.Dims[D].pop_back();
    if (const std::optional<unsigned> Other = wanting(A); Other && *Other != D)
      Next.Dims[*Other].push_back(A);
    Build.exchange(Next);
  }

  const Layout &To;
  PlanBuilder Build;
};

} // namespace

Plan planGreedily(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M, const Link &Everywhere) {
  return Greedy(From, To, S, Costs(M, Everywhere)).run();
}

} // namespace spmd::planner
