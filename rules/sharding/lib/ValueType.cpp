//===- ValueType.cpp - How a value lies on all axes -----------------------===//

#include "spmd/sharding/ValueType.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;
using namespace spmd::planner;

namespace spmd::sharding {

LocalType ValueType::on(AxisIndex A) const {
  if (Where.shards(A))
    return LocalType::V;
  if (Where.isPartial(A))
    return LocalType::P;
  return llvm::is_contained(Invariant, A) ? LocalType::I : LocalType::R;
}

Layout gradientOf(const ValueType &T, const DeviceMesh &M) {
  Layout Out{T.Where.Dims, {}};
  for (AxisIndex A = 0; A != M.All.size(); ++A)
    if (M.All[A].Size > 1 && T.on(A) == LocalType::R)
      Out.Partial.push_back(A);
  return Out;
}

bool isReachable(const ValueType &From, const ValueType &To,
                 const DeviceMesh &M) {
  for (AxisIndex A = 0; A != M.All.size(); ++A) {
    const LocalType F = From.on(A), T = To.on(A);
    if (F == T)
      continue;
    // These would drop or fake gradients of which nobody has said so.
    if ((T == LocalType::I && F == LocalType::R) ||
        (T == LocalType::P && F != LocalType::R))
      return false;
  }
  return true;
}

std::string print(const ValueType &T, llvm::StringRef DType,
                  llvm::ArrayRef<std::string> Sizes, const DeviceMesh &M) {
  Layout Shards = T.Where;
  Shards.Partial.clear();
  std::string Out = DType.str() + planner::print(Shards, Sizes, M);
  std::string Rest;
  for (AxisIndex A = 0; A != M.All.size(); ++A)
    if (M.All[A].Size > 1 && T.on(A) != LocalType::V)
      Rest +=
          (Rest.empty() ? "" : ", ") + M.All[A].Name + ": " + letter(T.on(A));
  return Rest.empty() ? Out : Out + "{" + Rest + "}";
}

double localElements(const Layout &L, const Shape &S, const DeviceMesh &M) {
  double Out = 1;
  for (std::size_t D = 0; D != S.size(); ++D)
    Out *= static_cast<double>(S[D]) / M.sizeOf(L.Dims[D]);
  return Out;
}

PartitionSpec specOf(const Layout &L, const Shape &S) {
  PartitionSpec Out;
  for (std::size_t D = 0; D != S.size(); ++D)
    Out.Dims.push_back(
        {Extent::number(S[D]), DimAxes(L.Dims[D].begin(), L.Dims[D].end())});
  return Out;
}

} // namespace spmd::sharding
