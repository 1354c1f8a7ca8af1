//===- MeshState.h - What the copies of a mesh share ------------*- C++ -*-===//

#ifndef SPMD_LIB_MESHSTATE_H
#define SPMD_LIB_MESHSTATE_H

#include "spmd/mesh.h"

#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

namespace spmd::detail {

class Redistribution;

/// Of a redistribution; looked up by views, so that a hit allocates nothing.
template <class Text> struct PlanKey {
  Text Src, Dst;
  Shape In;
};
struct PlanOrder {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const PlanKey<A> &X, const PlanKey<B> &Y) const {
    if (const int C = std::string_view(X.Src).compare(Y.Src))
      return C < 0;
    if (const int C = std::string_view(X.Dst).compare(Y.Dst))
      return C < 0;
    return std::lexicographical_compare(X.In.begin(), X.In.end(), Y.In.begin(),
                                        Y.In.end());
  }
};

/// Backward may run on another thread than forward.
struct MeshState {
  std::mutex Lock;
  std::map<std::string, Axis> Axes;
  std::map<PlanKey<std::string>, std::shared_ptr<const Redistribution>,
           PlanOrder>
      Plans;
};

} // namespace spmd::detail

#endif // SPMD_LIB_MESHSTATE_H
