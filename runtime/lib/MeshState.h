//===- MeshState.h - What the copies of a mesh share ------------*- C++ -*-===//

#ifndef SPMD_LIB_MESHSTATE_H
#define SPMD_LIB_MESHSTATE_H

#include "local/World.h"

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

/// Who has taken a plan keeps it, also when the mesh has dropped it.
using KeptPlan = std::shared_ptr<const Redistribution>;

/// Those that were used last, no more than Mesh::MaxPlans.
class Plans {
public:
  /// Null if there is none.
  KeptPlan find(const PlanKey<std::string_view> &Key) {
    const auto It = All.find(Key);
    if (It == All.end())
      return nullptr;
    It->second.LastUse = ++Uses;
    return It->second.Plan;
  }
  /// \p Made, or what another thread has made of the same \p Key.
  KeptPlan add(PlanKey<std::string> Key, KeptPlan Made) {
    const auto Kept = All.try_emplace(std::move(Key)).first;
    if (!Kept->second.Plan)
      Kept->second.Plan = std::move(Made);
    Kept->second.LastUse = ++Uses;
    if (All.size() > Mesh::MaxPlans)
      All.erase(std::min_element(All.begin(), All.end(),
                                 [](const auto &X, const auto &Y) {
                                   return X.second.LastUse < Y.second.LastUse;
                                 }));
    return Kept->second.Plan;
  }

private:
  struct Used {
    KeptPlan Plan;
    std::uint64_t LastUse = 0;
  };
  std::map<PlanKey<std::string>, Used, PlanOrder> All;
  std::uint64_t Uses = 0;
};

/// Backward may run on another thread than forward.
struct MeshState {
  std::mutex Lock;
  std::map<std::string, Axis> Axes;
  detail::Plans Plans;
  const local::RankOfRun Maker = local::RankOfRun::ofThread();
};

} // namespace spmd::detail

#endif // SPMD_LIB_MESHSTATE_H
