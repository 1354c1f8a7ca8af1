//===- Pricing.cpp - What a redistribution takes --------------------------===//
//
// By the planner's cost model. Names of sizes are taken for numbers only to
// compare; what is printed are products of them.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "spmd/planner/Explain.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace spmd::rules;

namespace spmd::fixits {

std::string elementType(const Function *F) {
  std::string Out;
  bool Same = true;
  const auto See = [&](const TypeSpec *T) {
    if (!T || !T->Global || T->Global->DType.empty())
      return;
    Same &= Out.empty() || Out == T->Global->DType;
    Out = T->Global->DType;
  };
  if (F->Result)
    See(&F->Result->Entry);
  for (const Slot &S : F->Slots)
    if (S.Declared)
      See(&S.Declared->Entry);
  return Same ? Out : "";
}

Pricing::Pricing(const AxisTable &Mesh, const Function *In,
                 const AxisLinks &Links)
    : Mesh(Mesh), Links(Links) {
  if (const std::string T = elementType(In); !T.empty())
    ElementSize = planner::elementSize(T);
}

namespace {

/// The axes of placements that matter, as a mesh of the planner's.
struct PlannerMesh {
  /// Plans look at each rank. Of larger meshes the longest axes are taken for
  /// shorter ones, which is the same but for 1/N of what moves.
  static constexpr std::int64_t MostRanks = 1024;

  /// \p Links: of bytes; an element has \p ElementSize.
  PlannerMesh(const AxisTable &Table, llvm::ArrayRef<const Placement *> Of,
              const AxisLinks &Links, int ElementSize)
      : Index(Table.All.size()) {
    llvm::SmallVector<std::int64_t, 4> Sizes;
    for (AxisId A = 0; A != Table.All.size(); ++A) {
      if (llvm::none_of(Of, [&](const Placement *P) { return matters(*P, A); }))
        continue;
      const auto Size = Table.All[A].Size.asNumber();
      Exact &= Size.has_value();
      Sizes.push_back(Size.value_or(2)); // unknown ones are all alike
      Index[A] = static_cast<planner::AxisIndex>(M.All.size());
      M.All.push_back({Table.All[A].Name});
      if (const auto It = Links.find(Table.All[A].Name); It != Links.end())
        M.All.back().Own = {It->second.Latency,
                            It->second.PerElement * ElementSize};
    }
    while (ranksOf(Sizes) > MostRanks) {
      Exact = false;
      std::int64_t &Longest = *std::max_element(Sizes.begin(), Sizes.end());
      Longest = (Longest + 1) / 2;
    }
    for (std::size_t A = 0; A != Sizes.size(); ++A)
      M.All[A].Size = static_cast<int>(Sizes[A]);
  }
  /// Or something larger than MostRanks.
  static std::int64_t ranksOf(llvm::ArrayRef<std::int64_t> Sizes) {
    std::int64_t Out = 1;
    for (std::int64_t N : Sizes)
      Out = N > MostRanks ? MostRanks + 1 : std::min(Out, MostRanks + 1) * N;
    return Out;
  }
  static bool matters(const Placement &P, AxisId A) {
    return P.Spec.dimOf(A) || P.typeOn(A) == LocalType::P;
  }
  planner::Layout layout(const Placement &P) const {
    planner::Layout Out;
    for (const ShardedDim &D : P.Spec.Dims) {
      Out.Dims.emplace_back();
      for (AxisId A : D.Axes)
        Out.Dims.back().push_back(Index[A]);
    }
    for (AxisId A = 0; A != Index.size(); ++A)
      if (P.typeOn(A) == LocalType::P)
        Out.Partial.push_back(Index[A]);
    return Out;
  }

  planner::DeviceMesh M;
  std::vector<planner::AxisIndex> Index;
  bool Exact = true;
};

/// Numbers as they are; each name as so many that all axes divide it.
planner::Shape sampleOf(const PartitionSpec &S, std::int64_t Ranks) {
  planner::Shape Out;
  for (const ShardedDim &D : S.Dims) {
    const Extent Size = D.Size.substitute(
        [&](llvm::StringRef) { return Extent::number(Ranks); });
    Out.push_back(Size.asNumber().value_or(Ranks));
  }
  return Out;
}

} // namespace

Price Pricing::along(llvm::ArrayRef<const Placement *> Way) const {
  const PlannerMesh P(Mesh, Way, Links, std::max(ElementSize, 1));
  const planner::Link Everywhere = {10e-6, std::max(ElementSize, 1) / 100e9};
  const auto Run = [&](const planner::Shape &S) {
    planner::Plan All;
    for (std::size_t I = 1; I != Way.size(); ++I) {
      const planner::Plan One = planner::planRedistribution(
          P.layout(*Way[I - 1]), P.layout(*Way[I]), S, P.M, Everywhere);
      All.Seconds += One.Seconds;
      All.Received += One.Received;
      All.Collectives += One.Collectives;
      All.Peak = std::max(All.Peak, One.Peak);
    }
    return All;
  };
  Price Out;
  const planner::Shape Sample =
      sampleOf(Way[0]->Spec, 64 * std::max<std::int64_t>(8, P.M.ranks()));
  double Elements = P.M.ranks();
  for (std::int64_t N : Sample)
    Elements *= static_cast<double>(N);
  if (Elements > 1e15)
    return Out;
  Out.Seconds = Run(Sample).Seconds;
  const auto Written = typeSpecOf(*Way[0], Mesh);
  if (!P.Exact || !Written)
    return Out;
  llvm::Expected<planner::TensorSizes> Sizes =
      planner::TensorSizes::of(*Written, P.M);
  if (!Sizes) {
    llvm::consumeError(Sizes.takeError());
    return Out;
  }
  const planner::Plan Shown = Run(Sizes->sample());
  const auto Text = [&](double Elements) {
    return ElementSize ? Sizes->bytes(Elements, ElementSize) + " bytes"
                       : Sizes->bytes(Elements, 1) + " elements";
  };
  Out.Collectives = Shown.Collectives;
  Out.Moved = Text(Shown.Received);
  Out.Peak = Text(static_cast<double>(Shown.Peak));
  return Out;
}

Price Pricing::atOnce(const Placement &From, const Placement &To) const {
  return along({&From, &To});
}

Price Pricing::ofMoves(const Placement &From,
                       llvm::ArrayRef<Move> Moves) const {
  std::vector<const Placement *> Way = {&From};
  for (const Move &M : Moves)
    Way.push_back(&M.After);
  return along(Way);
}

} // namespace spmd::fixits
