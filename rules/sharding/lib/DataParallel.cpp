//===- DataParallel.cpp - The batch on some axes, and nothing else --------===//

#include "spmd/sharding/Search.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::planner;

namespace spmd::sharding {

bool Problem::isDataParallel(unsigned C, unsigned O, const Axes &Batch) const {
  const auto IsSplitOnlyIn = [&](const ValueType &T, const Value &V) {
    for (unsigned D = 0; D != T.Where.Dims.size(); ++D)
      if (T.Where.Dims[D] != (V.BatchDim == D ? Batch : Axes()))
        return false;
    return true;
  };
  const Strategy &S = Choices[C].Options[O];
  if (Choices[C].Stored)
    return IsSplitOnlyIn(S.Made, G.Values[*Choices[C].Stored]);
  if (!Choices[C].NodeId)
    return IsSplitOnlyIn(S.Wanted[0], G.Values[*G.Returned]);
  return S.OnlyBatch && (!S.HasBatch || S.OfBatch == Batch);
}

std::vector<Axes> batchAxes(const Graph &G, const DeviceMesh &M) {
  std::int64_t Batch = 0;
  for (const Value &V : G.Values)
    if (V.BatchDim && V.From == Value::Source::Input && !Batch)
      Batch = V.Sizes[*V.BatchDim];
  std::vector<Axes> Out{{}};
  int Most = 1;
  for (std::uint64_t Set = 1; Batch && Set < 1ull << M.All.size(); ++Set) {
    Axes Here;
    for (AxisIndex A = 0; A != M.All.size(); ++A)
      if (Set >> A & 1 && M.All[A].Size > 1)
        Here.push_back(A);
    const int Ranks = M.sizeOf(Here);
    if (Batch % Ranks || Ranks < Most || llvm::is_contained(Out, Here))
      continue;
    if (Ranks > Most)
      Out.clear();
    Most = Ranks;
    Out.push_back(Here);
  }
  return Out;
}

std::optional<std::vector<unsigned>>
bestDataParallel(const Problem &P, const CostModel &Costs, double PerByte,
                 const SearchLimits &Limits) {
  std::optional<std::vector<unsigned>> Out;
  double Least = 0;
  for (const Axes &Batch : batchAxes(P.graph(), Costs.Mesh)) {
    auto Found = bestAmong(
        P, PerByte, Limits, Need::Begins,
        [&](unsigned C, unsigned O) { return P.isDataParallel(C, O, Batch); });
    if (!Found)
      continue;
    const double Cost = P.timeOf(*Found) + PerByte * P.memoryOf(*Found);
    if (Out && Cost >= Least)
      continue;
    Least = Cost;
    Out = std::move(Found);
  }
  return Out;
}

} // namespace spmd::sharding
