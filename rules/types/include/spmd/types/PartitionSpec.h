//===- PartitionSpec.h - How the shards of a tensor reassemble --*- C++ -*-===//
//
// The part of a global type that its local types do not say: the size of each
// dim and the axes that shard it, outermost first. An axis that is in no dim is
// none of its business: there the local type says all.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_PARTITIONSPEC_H
#define SPMD_TYPES_PARTITIONSPEC_H

#include "spmd/types/Extent.h"
#include "spmd/types/TypeSpec.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules {

using AxisId = std::uint32_t;
/// The axes of a dim, outermost first.
using DimAxes = llvm::SmallVector<AxisId, 2>;

/// The axes that specs are about, by AxisId. The size of one that is not known
/// is its name.
struct AxisTable {
  struct Axis {
    std::string Name;
    Extent Size;
  };
  std::vector<Axis> All;

  Extent size(llvm::ArrayRef<AxisId> Axes) const; ///< of all of them together
  std::string print(llvm::ArrayRef<AxisId> Axes) const; ///< "tp", "(cp,tp)"
};

struct ShardedDim {
  Extent Size; ///< of the whole tensor
  DimAxes Axes;
  /// What a rank has of an open one; unknown of all others.
  Extent Local = Extent();

  /// Of size one on every rank, so that it is broadcast.
  bool isOne() const { return Size.isOne() && Axes.empty(); }
  /// Of unknown size and on no axis: it may be a part of any dim, such as one
  /// of a tensor of zeros.
  bool isOpen() const { return !Size.isKnown() && Axes.empty(); }

  friend bool operator==(const ShardedDim &, const ShardedDim &) = default;
};

struct PartitionSpec {
  llvm::SmallVector<ShardedDim, 4> Dims;
  /// The elements are known to be integers that count, so that as an index the
  /// tensor picks along one dim, as a mask would not.
  bool Positions = false;

  unsigned rank() const { return static_cast<unsigned>(Dims.size()); }
  /// The dim that \p Dim means, which may count from the last; nothing when
  /// there is no such dim.
  std::optional<unsigned> dimAt(std::int64_t Dim) const;
  /// The dim that \p A shards.
  std::optional<unsigned> dimOf(AxisId A) const;

  friend bool operator==(const PartitionSpec &,
                         const PartitionSpec &) = default;
};

/// What an annotation says, with the axes that \p Find knows.
PartitionSpec
specOf(const GlobalSpec &G,
       llvm::function_ref<std::optional<AxisId>(llvm::StringRef)> Find);
/// "[B@dp, S, H@(cp,tp)]"
std::string printSpec(const PartitionSpec &S, const AxisTable &Axes);

/// What a rank has of a dim; unknown when the shards are uneven.
Extent localSize(const ShardedDim &D, const AxisTable &Axes);
/// Whether all shards have the same size, as far as the sizes are known.
SameSize isEven(const ShardedDim &D, const AxisTable &Axes);

/// The spec of \p S with axes of size one left out, which shard nothing.
PartitionSpec withoutSingletons(PartitionSpec S, const AxisTable &Axes);
/// The spec as code that handles the shards of all other axes by itself sees
/// it: axes that are not \p Kept are gone, and the dims are smaller for it.
PartitionSpec restrictTo(PartitionSpec S, llvm::ArrayRef<AxisId> Kept,
                         const AxisTable &Axes);

/// What two paths agree on: nothing when the shards lie differently; a size
/// that differs is unknown.
std::optional<PartitionSpec> merge(const PartitionSpec &A,
                                   const PartitionSpec &B);

/// Where two specs of one tensor contradict each other.
struct SpecClash {
  enum class Kind : std::uint8_t { Rank, Size, Axes, Order } K = Kind::Rank;
  unsigned Dim = 0;
};
std::optional<SpecClash> clash(const PartitionSpec &Has,
                               const PartitionSpec &Wanted);
/// All that is known from both, which must not clash.
PartitionSpec refine(PartitionSpec A, const PartitionSpec &B);

} // namespace spmd::rules

#endif // SPMD_TYPES_PARTITIONSPEC_H
