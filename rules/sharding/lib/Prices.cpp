//===- Prices.cpp - What it takes to redistribute a value -----------------===//

#include "spmd/sharding/Prices.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::planner;

namespace spmd::sharding {

Plan Prices::plan(const Shape &Sizes, int ElementBytes, const Layout &From,
                  const Layout &To) const {
  DeviceMesh M = Costs.Mesh;
  for (DeviceMesh::Axis &A : M.All)
    if (A.Own)
      A.Own->PerElement *= ElementBytes;
  const Link Everywhere{Costs.Everywhere.Latency,
                        Costs.Everywhere.PerElement * ElementBytes};
  return planRedistribution(From, To, Sizes, M, Everywhere);
}
Plan Prices::plan(const Value &V, const Layout &From, const Layout &To) const {
  return plan(V.Sizes, V.ElementBytes, From, To);
}

namespace {

/// What a redistribution takes depends on how the axes of dims move and on how
/// much there is, and hardly on which dims these are. Where that is good
/// enough, dims in one order, of sizes that all ranks divide, and one more for
/// the rest of the elements stand for all tensors that are as large.
struct Question {
  Layout From, To;
  Shape Sizes;
  std::vector<std::int64_t> Key;
};

void append(const Axes &Of, std::vector<std::int64_t> &Key) {
  Key.insert(Key.end(), Of.begin(), Of.end());
  Key.push_back(-1);
}

} // namespace

static Question questionOf(const Value &V, const Layout &From, const Layout &To,
                           const DeviceMesh &M, bool MayNormalise) {
  Question Out;
  std::vector<std::pair<Axes, Axes>> Moves;
  std::int64_t Rest = 1, Divisor = 1;
  bool IsEven = MayNormalise;
  for (std::size_t D = 0; D != V.Sizes.size(); ++D) {
    Rest *= V.Sizes[D];
    if (From.Dims[D].empty() && To.Dims[D].empty())
      continue;
    Moves.emplace_back(From.Dims[D], To.Dims[D]);
    Axes Both = From.Dims[D];
    for (AxisIndex A : To.Dims[D])
      if (!llvm::is_contained(Both, A))
        Both.push_back(A);
    IsEven &= V.Sizes[D] % M.sizeOf(Both) == 0;
    Divisor *= M.ranks();
  }
  IsEven &= Rest % (Divisor * M.ranks()) == 0;
  Out.From.Partial = From.Partial;
  Out.To.Partial = To.Partial;
  if (IsEven) {
    llvm::sort(Moves);
    for (auto &[Was, Is] : Moves) {
      Out.From.Dims.push_back(Was);
      Out.To.Dims.push_back(Is);
      Out.Sizes.push_back(M.ranks());
    }
    Out.From.Dims.emplace_back();
    Out.To.Dims.emplace_back();
    Out.Sizes.push_back(Rest / Divisor);
  } else {
    Out.From.Dims = From.Dims;
    Out.To.Dims = To.Dims;
    Out.Sizes = V.Sizes;
  }
  Out.Key.assign(Out.Sizes.begin(), Out.Sizes.end());
  Out.Key.push_back(V.ElementBytes);
  for (std::size_t D = 0; D != Out.Sizes.size(); ++D) {
    append(Out.From.Dims[D], Out.Key);
    append(Out.To.Dims[D], Out.Key);
  }
  append(Out.From.Partial, Out.Key);
  append(Out.To.Partial, Out.Key);
  return Out;
}

double Prices::seconds(const Value &V, const Layout &From, const Layout &To) {
  if (From == To || !V.HasDims)
    return 0;
  Question Q = questionOf(V, From, To, Costs.Mesh, IsRough);
  auto [It, New] = Known.try_emplace(std::move(Q.Key), 0);
  if (New) {
    Left.spend(Budget::PerPlan);
    It->second = plan(Q.Sizes, V.ElementBytes, Q.From, Q.To).Seconds;
  }
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
