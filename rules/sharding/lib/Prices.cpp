//===- Prices.cpp - What it takes to redistribute a value -----------------===//

#include "spmd/sharding/Prices.h"

using namespace spmd::planner;

namespace spmd::sharding {

Plan Prices::plan(const Value &V, const Layout &From, const Layout &To) const {
  DeviceMesh M = Costs.Mesh;
  for (DeviceMesh::Axis &A : M.All)
    if (A.Own)
      A.Own->PerElement *= V.ElementBytes;
  const Link Everywhere{Costs.Everywhere.Latency,
                        Costs.Everywhere.PerElement * V.ElementBytes};
  return planRedistribution(From, To, V.Sizes, M, Everywhere);
}

static void append(const Layout &L, std::vector<std::int64_t> &Key) {
  for (const Axes &D : L.Dims) {
    Key.insert(Key.end(), D.begin(), D.end());
    Key.push_back(-1);
  }
  Key.insert(Key.end(), L.Partial.begin(), L.Partial.end());
  Key.push_back(-2);
}

double Prices::seconds(const Value &V, const Layout &From, const Layout &To) {
  if (From == To || !V.HasDims)
    return 0;
  std::vector<std::int64_t> Key(V.Sizes.begin(), V.Sizes.end());
  Key.push_back(V.ElementBytes);
  append(From, Key);
  append(To, Key);
  auto [It, New] = Known.try_emplace(std::move(Key), 0);
  if (New)
    It->second = plan(V, From, To).Seconds;
  return It->second;
}

std::optional<Price> Prices::redistribution(const Value &V,
                                            const ValueType &From,
                                            const ValueType &To) {
  if (!isReachable(From, To, Costs.Mesh))
    return std::nullopt;
  if (From == To)
    return Price();
  Price Out;
  Out.Forward = seconds(V, From.Where, To.Where);
  if (V.Differentiable)
    Out.Backward =
        seconds(V, gradientOf(To, Costs.Mesh), gradientOf(From, Costs.Mesh));
  return Out;
}

Price Prices::reduction(const Value &V, const ValueType &Stored) {
  Price Out;
  if (!V.Differentiable)
    return Out;
  const Layout Pending = gradientOf(Stored, Costs.Mesh);
  Out.Backward = seconds(V, Pending, {Pending.Dims, {}});
  if (V.From == Value::Source::Weight)
    Out.Backward /= Costs.Accumulate;
  return Out;
}

} // namespace spmd::sharding
