//===- AllLayouts.cpp - Every layout of a rank on a mesh ------------------===//

#include "spmd/planner/AllLayouts.h"

namespace spmd::planner {

std::vector<Layout> allLayouts(unsigned Rank, const DeviceMesh &M,
                               bool WithPartial) {
  Layout Whole;
  Whole.Dims.resize(Rank);
  std::vector<Layout> Out = {Whole};
  for (AxisIndex A = 0; A != M.All.size(); ++A) {
    std::vector<Layout> Next;
    for (const Layout &L : Out) {
      Next.push_back(L);
      if (WithPartial) {
        Next.push_back(L);
        Next.back().Partial.push_back(A);
      }
      for (unsigned D = 0; D != Rank; ++D)
        for (std::size_t At = 0; At <= L.Dims[D].size(); ++At) {
          Next.push_back(L);
          Axes &Dim = Next.back().Dims[D];
          Dim.insert(Dim.begin() + static_cast<std::ptrdiff_t>(At), A);
        }
    }
    Out = std::move(Next);
  }
  return Out;
}

} // namespace spmd::planner
