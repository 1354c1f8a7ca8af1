//===- PartitionSpec.cpp - How the shards of a tensor reassemble ----------===//

#include "spmd/types/PartitionSpec.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

Extent AxisTable::size(llvm::ArrayRef<AxisId> Axes) const {
  Extent Out = Extent::number(1);
  for (AxisId A : Axes)
    Out = Out * All[A].Size;
  return Out;
}

std::string AxisTable::print(llvm::ArrayRef<AxisId> Axes) const {
  if (Axes.size() == 1)
    return All[Axes[0]].Name;
  std::string Out = "(";
  for (AxisId A : Axes)
    Out += (Out.size() == 1 ? "" : ",") + All[A].Name;
  return Out + ")";
}

std::optional<unsigned> PartitionSpec::dimAt(std::int64_t Dim) const {
  const std::int64_t D = Dim < 0 ? Dim + rank() : Dim;
  return D >= 0 && D < rank() ? std::optional(static_cast<unsigned>(D))
                              : std::nullopt;
}

std::optional<unsigned> PartitionSpec::dimOf(AxisId A) const {
  for (unsigned D = 0; D != rank(); ++D)
    if (llvm::is_contained(Dims[D].Axes, A))
      return D;
  return std::nullopt;
}

/// Bytes are masks as well as truth values are.
static bool isPosition(llvm::StringRef DType) {
  return llvm::is_contained({"i64", "i32", "int64", "int32", "long", "int"},
                            DType);
}

PartitionSpec
specOf(const GlobalSpec &G,
       llvm::function_ref<std::optional<AxisId>(llvm::StringRef)> Find) {
  PartitionSpec Out;
  Out.Positions = isPosition(G.DType);
  for (const DimSpec &D : G.Dims) {
    Out.Dims.push_back({Extent::parse(D.Extent), {}});
    for (const std::string &Axis : D.Axes)
      if (const std::optional<AxisId> A = Find(Axis))
        Out.Dims.back().Axes.push_back(*A);
  }
  return Out;
}

std::string printSpec(const PartitionSpec &S, const AxisTable &Axes) {
  std::string Out = "[";
  for (const ShardedDim &D : S.Dims) {
    Out += (&D == S.Dims.begin() ? "" : ", ") + D.Size.str();
    if (!D.Axes.empty())
      Out += "@" + Axes.print(D.Axes);
  }
  return Out + "]";
}

Extent localSize(const ShardedDim &D, const AxisTable &Axes) {
  if (D.isOpen())
    return D.Local;
  const Extent Out = D.Size / Axes.size(D.Axes);
  return Out.isNumeric() && !Out.asNumber() ? Extent() : Out;
}

SameSize isEven(const ShardedDim &D, const AxisTable &Axes) {
  const Extent Local = D.Size / Axes.size(D.Axes);
  if (Local.isNumeric())
    return Local.asNumber() ? SameSize::Yes : SameSize::No;
  // A product that has the axis as a factor is even whatever the names are.
  return D.Axes.empty() || (D.Size.isKnown() && Local.isWhole())
             ? SameSize::Yes
             : SameSize::Unknown;
}

PartitionSpec withoutSingletons(PartitionSpec S, const AxisTable &Axes) {
  for (ShardedDim &D : S.Dims)
    llvm::erase_if(D.Axes, [&](AxisId A) { return Axes.All[A].Size.isOne(); });
  return S;
}

PartitionSpec restrictTo(PartitionSpec S, llvm::ArrayRef<AxisId> Kept,
                         const AxisTable &Axes) {
  for (ShardedDim &D : S.Dims) {
    if (D.isOpen())
      continue;
    ShardedDim Gone{D.Size, {}};
    for (AxisId A : D.Axes)
      if (!llvm::is_contained(Kept, A))
        Gone.Axes.push_back(A);
    D.Size = localSize(Gone, Axes);
    llvm::erase_if(D.Axes,
                   [&](AxisId A) { return llvm::is_contained(Gone.Axes, A); });
  }
  return S;
}

std::optional<PartitionSpec> merge(const PartitionSpec &A,
                                   const PartitionSpec &B) {
  if (A.rank() != B.rank())
    return std::nullopt;
  PartitionSpec Out = A;
  Out.Positions &= B.Positions;
  for (unsigned D = 0; D != A.rank(); ++D) {
    if (A.Dims[D].Axes != B.Dims[D].Axes)
      return std::nullopt;
    if (!(A.Dims[D].Size == B.Dims[D].Size))
      Out.Dims[D].Size = Extent();
    if (!(A.Dims[D].Local == B.Dims[D].Local))
      Out.Dims[D].Local = Extent();
  }
  return Out;
}

std::optional<SpecClash> clash(const PartitionSpec &Has,
                               const PartitionSpec &Wanted) {
  using K = SpecClash::Kind;
  if (Has.rank() != Wanted.rank())
    return SpecClash{K::Rank, 0};
  for (unsigned D = 0; D != Has.rank(); ++D) {
    const ShardedDim &H = Has.Dims[D], &W = Wanted.Dims[D];
    if (H.Axes != W.Axes && !H.isOpen()) {
      const bool SameAxes = std::is_permutation(H.Axes.begin(), H.Axes.end(),
                                                W.Axes.begin(), W.Axes.end());
      return SpecClash{SameAxes ? K::Order : K::Axes, D};
    }
  }
  for (unsigned D = 0; D != Has.rank(); ++D)
    if (compare(Has.Dims[D].Size, Wanted.Dims[D].Size) == SameSize::No)
      return SpecClash{K::Size, D};
  return std::nullopt;
}

PartitionSpec refine(PartitionSpec A, const PartitionSpec &B) {
  A.Positions |= B.Positions;
  for (unsigned D = 0; D != A.rank(); ++D)
    if (A.Dims[D].isOpen())
      A.Dims[D] = B.Dims[D];
    // A declared name says more than a number that was computed.
    else if (B.Dims[D].Size.isKnown())
      A.Dims[D].Size = B.Dims[D].Size;
  return A;
}

} // namespace spmd::rules
