//===- FactorRule.h - The shape rule of one call ----------------*- C++ -*-===//
//
// A shape rule applied to the dims and arguments of a call: which dims of the
// operands and of the results are indexed by the same factor. The sharding of a
// factor is that of each dim it indexes; a dim of several factors, outermost
// first, is sharded by its outermost one.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_FACTORRULE_H
#define SPMD_OPS_FACTORRULE_H

#include "spmd/ops/OpRule.h"
#include "spmd/ops/ShapeRule.h"
#include "spmd/types/PartitionSpec.h"

#include <variant>

namespace spmd::rules {

struct Factor {
  std::string Name;
  Extent Size; ///< of the whole tensor
  /// The op looks at all of it at once, or makes it: no rank may have a part.
  bool Whole = false;
  /// What a rank has of one that may be a part of any whole.
  Extent Local = Extent();
};

struct FactorRule {
  using Dim = llvm::SmallVector<unsigned, 2>; ///< into Factors; none: size one
  using Tensor = llvm::SmallVector<Dim, 4>;

  llvm::SmallVector<Factor, 6> Factors;
  llvm::SmallVector<Tensor, 3> Operands; ///< by actual operand
  Tensor Result;
  bool HasResult = true; ///< false: nobody knows its dims
  /// The result is sharded as the storage that the call writes.
  bool ResultIsWritten = false;

  bool isContracted(unsigned F) const; ///< in an operand, not in the result
};
/// "m k, k n -> m n", with "[k]" for \p Marked.
std::string printFactorRule(const FactorRule &R,
                            std::optional<unsigned> Marked = std::nullopt);

/// What is wrong with the dims of a call's operands.
struct SpecViolation {
  enum class Kind : std::uint8_t {
    Rank,        ///< an operand has too few or too many dims
    Dimension,   ///< an argument names a dim that there is not
    Size,        ///< one factor, two sizes
    Contraction, ///< a contracted factor is sharded, and nobody says
                 ///< out_partial
    Addend,      ///< out_partial of a sum of which not all is pending
    Missing,     ///< one operand has the factor sharded on the axis, one not
    Order,       ///< sharded on the same axes in another order
    Repeated,    ///< the axis shards two factors
    NeedsWhole,  ///< a factor that must not be sharded is
    AcrossView,  ///< an inner part of a dim that the op splits or joins is
    Uneven,      ///< shards of a dim that the op splits or joins are uneven
    NotPartial,  ///< out_partial on an axis whose shards nothing adds up
  };
  Kind K = Kind::Rank;
  std::optional<unsigned> Factor; ///< of Rule
  std::optional<AxisId> Axis;
  unsigned Operand = 0;                ///< the one that does not fit
  std::optional<unsigned> Other;       ///< the one that it does not fit to
  std::optional<unsigned> OtherFactor; ///< Repeated
  std::optional<unsigned> Dim;         ///< of Operand
  std::string Argument;                ///< Dimension: "dim = 3"
  FactorRule Rule;                     ///< as far as it is known
};

/// The rule depends on what is not known: an argument, mostly.
struct Undecided {
  std::string On; ///< "dim", "the size of a dim"
};

/// Stands for what this rank has of dim \p Dim of the first operand, which is
/// not known; so that it can be seen to be the same as itself.
Extent unknownSize(unsigned Dim);

/// A call as its rule sees it.
struct ShapedCall {
  const OpRule *Op = nullptr;
  llvm::ArrayRef<unsigned> FormalOf; ///< by actual operand
  /// By actual operand; null for a host number.
  llvm::ArrayRef<const PartitionSpec *> Operands;
  llvm::ArrayRef<OpArgument> Arguments;
  /// The size of a tensor's dim on this rank, or its unknownSize; of a
  /// variable, its name.
  llvm::function_ref<Extent(const SizeTerm &)> SizeOf;
  const AxisTable *Axes = nullptr;
  /// The storage that is written; null when nobody knows it.
  const PartitionSpec *Written = nullptr;
  /// Of some operand the layout on some axis is not known, so that ranks may
  /// have less of a dim than its spec says.
  bool HasLoose = false;
};

using FactorRuleOr = std::variant<FactorRule, Undecided, SpecViolation>;
/// The factors of \p Call, whose op has a shape rule.
FactorRuleOr factorRuleOf(const ShapedCall &Call);

/// SPMD types for PyTorch, "Shard propagation": the spec of the result, when
/// one exists such that the op on shards gives the shards of the op.
struct Propagation {
  PartitionSpec Result;
  DimAxes Partial; ///< the axes on which the result is a pending sum
};
/// \p OutPartial: the axes that the call is wrapped in out_partial for;
/// \p Pending: by actual operand, those on which it is a pending sum.
std::variant<Propagation, SpecViolation>
propagate(const FactorRule &Rule, const ShapedCall &Call,
          llvm::ArrayRef<AxisId> OutPartial, llvm::ArrayRef<DimAxes> Pending);

} // namespace spmd::rules

#endif // SPMD_OPS_FACTORRULE_H
