//===- Placement.h - Values of global code, and how they move ---*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_PLACEMENT_H
#define SPMD_FIXITS_LIB_PLACEMENT_H

#include "spmd/fixits/Repair.h"

namespace spmd::fixits {

/// Where the shards of a value are, and its type on each axis.
struct Placement {
  rules::PartitionSpec Spec;
  std::vector<rules::AxisType> Types; ///< by AxisId

  /// Nothing when nobody knows its shards.
  static std::optional<Placement> of(const rules::ValueLayout &L);
  /// Nothing when it is not known, or is V and shards no dim.
  std::optional<rules::LocalType> typeOn(rules::AxisId A) const;
  /// The axis shards \p Dim next to those that do already.
  void shard(rules::AxisId A, unsigned Dim);
  /// It is \p T on the axis, which shards nothing.
  void unshard(rules::AxisId A, rules::LocalType T);
  rules::DimAxes &axes(unsigned Dim) { return Spec.Dims[Dim].Axes; }
  const rules::DimAxes &axes(unsigned Dim) const { return Spec.Dims[Dim].Axes; }
  bool sameAs(const Placement &Other) const;
};

/// "[B@(dp,tp), S]{ep: R}"; nothing when a size cannot be written.
std::optional<rules::TypeSpec> typeSpecOf(const Placement &P,
                                          const rules::AxisTable &Mesh);

/// One operator on the way, and what it makes.
struct Move {
  Step Operator;
  Placement After;
};
/// One operator per axis from \p From to \p To, all of which keep the value's
/// meaning; nothing when there are none.
std::optional<std::vector<Move>> movesBetween(const Placement &From,
                                              const Placement &To,
                                              const rules::AxisTable &Mesh);

/// All ways to shard what \p From is with the axes of \p Over, on which it is
/// R, I or sharded; where it then is whole it is \p Whole.
std::vector<Placement> placementsOn(const Placement &From,
                                    llvm::ArrayRef<rules::AxisId> Over,
                                    rules::LocalType Whole);

/// What a value's redistribution takes.
class Pricing {
public:
  /// \p In gives the elements their size.
  Pricing(const rules::AxisTable &Mesh, const rules::Function *In,
          const AxisLinks &Links);

  /// By the best plan for all axes together.
  Price atOnce(const Placement &From, const Placement &To) const;
  /// One operator after the other.
  Price ofMoves(const Placement &From, llvm::ArrayRef<Move> Moves) const;

private:
  Price along(llvm::ArrayRef<const Placement *> Way) const;

  const rules::AxisTable &Mesh;
  const AxisLinks &Links;
  int ElementSize = 0; ///< 0 when it is not known
};

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_PLACEMENT_H
