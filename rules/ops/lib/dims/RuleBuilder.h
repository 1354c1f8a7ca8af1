//===- RuleBuilder.h - From dims and arguments to factors -------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_GLOBAL_RULEBUILDER_H
#define SPMD_RULES_LIB_GLOBAL_RULEBUILDER_H

#include "spmd/ops/FactorRule.h"

#include "llvm/ADT/DenseMap.h"

namespace spmd::rules::global {

/// A size that an argument asks for, on this rank.
struct AskedSize {
  bool Rest = false;                  ///< -1: what is left; in expand: as it is
  Extent Size;                        ///< unknown: nobody knows
  std::optional<std::int64_t> Number; ///< also those that are no size
};

/// Unknown when an unknownSize is in it.
Extent told(const Extent &Size);

/// Builds the factors of one call. The first error sticks, and what is asked
/// after it has some harmless answer.
class RuleBuilder {
public:
  using Dim = FactorRule::Dim;
  using Tensor = FactorRule::Tensor;

  /// \p Shape is the alternative that fits the call.
  RuleBuilder(const ShapedCall &Call, const ShapeRule &Shape);

  //===--- Factors --------------------------------------------------------===//
  unsigned add(Extent Size, bool Whole = false, llvm::StringRef Name = {});
  Factor &factor(unsigned F) { return Rule.Factors[F]; }
  Tensor &operand(unsigned I) { return Rule.Operands[I]; }
  /// The tensors that the alternative speaks of, in its order.
  llvm::ArrayRef<unsigned> tensors() const { return Which; }
  /// The place of operand \p I among the operands of the alternative.
  unsigned position(unsigned I) const { return PositionOf.lookup(I); }
  /// The first tensor in place \p Position of the alternative's operands.
  std::optional<unsigned> at(unsigned Position) const;
  /// Operand \p I is for a list, and may stand for all of its elements.
  bool isList(unsigned I) const {
    return Call.Op->Formals[Call.FormalOf[I]].Variadic;
  }
  const PartitionSpec &spec(unsigned I) const { return *Call.Operands[I]; }
  const ShapedCall &call() const { return Call; }
  const ShapeRule &shape() const { return Shape; }
  /// All tensors aligned at their last dims, a dim of size one broadcast; of
  /// two factors of one position there is one. The dims of the result, so far.
  Tensor aligned();
  /// The same for some, without the last \p Drop dims of each.
  Tensor aligned(llvm::ArrayRef<unsigned> Which, unsigned Drop = 0);
  /// Operand \p I with factors of its own.
  Tensor separate(unsigned I) { return aligned({I}); }
  /// \p D is needed whole.
  void needWhole(const Dim &D);
  /// Everywhere, \p F is really \p Parts, outermost first.
  void split(unsigned F, llvm::ArrayRef<unsigned> Parts);
  /// The operand dim that is \p D, to ask for its shards.
  const ShardedDim *shardsOf(const Dim &D) const;
  /// What this rank has of \p D.
  Extent localSize(const ShardedDim &D) const;
  /// Dim \p D of operand \p I is \p F, which \p Other has, unless it is
  /// broadcast.
  void share(unsigned I, unsigned D, const Dim &F, unsigned Other);
  /// Reports when dim \p Dim of operand \p I is not the factor \p F, whose
  /// size operand \p Other gave.
  void checkSize(unsigned I, unsigned Dim, unsigned F, unsigned Other);

  //===--- Arguments ------------------------------------------------------===//
  /// The dims that parameter \p P of the term names, counted from the front in
  /// a tensor of \p Rank; nothing when it names none.
  std::optional<llvm::SmallVector<unsigned, 4>> dims(unsigned P, unsigned Rank);
  /// The same, or all dims of \p Of.
  llvm::SmallVector<unsigned, 4> dimsOrAll(unsigned P, const Tensor &Of);
  /// Exactly one.
  unsigned dim(unsigned P, unsigned Rank);
  bool flag(unsigned P);
  llvm::SmallVector<std::int64_t, 4> numbers(unsigned P);
  llvm::SmallVector<AskedSize, 4> sizes(unsigned P);
  std::string text(unsigned P);
  /// The length of the list that is given for \p P, if it is a list.
  std::optional<unsigned> lengthOf(unsigned P) const;
  const OpArgument *argument(llvm::StringRef Names) const;
  /// The integer that is given for it, when it is known.
  std::optional<std::int64_t> integer(llvm::StringRef Names) const;
  /// The size on this rank that is given for it; unknown when nobody knows.
  Extent size(llvm::StringRef Names) const;
  /// A struct may hold what has no argument of its own.
  bool hasOptions() const { return argument("options"); }

  //===--- The end --------------------------------------------------------===//
  void undecided(std::string On);
  void wrong(SpecViolation V);
  bool failed() const { return Failure.index() != 0; }
  /// Without it nobody knows the dims of the result.
  void result(Tensor T) {
    Rule.Result = std::move(T);
    Rule.HasResult = true;
  }
  /// \p T, sharded as the storage that the call writes is.
  void resultIsWritten(Tensor T) {
    result(std::move(T));
    Rule.ResultIsWritten = true;
  }
  FactorRuleOr take();

private:
  AskedSize asked(const std::optional<SizeValue> &V) const;
  /// Whether parameter \p P has no argument, but may be in a struct that has.
  bool isHidden(unsigned P);
  void closeOpenDims();
  void doubtBroadcasts();
  void doubtViews();
  void doubtParts();
  const ShapeParameter &parameter(unsigned P) const;
  std::optional<unsigned> fromFront(std::int64_t D, unsigned Rank, unsigned P);
  void nameFactors();

  const ShapedCall &Call;
  const ShapeRule &Shape;
  llvm::SmallVector<unsigned, 4> Which;
  llvm::DenseMap<unsigned, unsigned> PositionOf;
  FactorRule Rule;
  FactorRuleOr Failure; ///< a FactorRule while there is none
};

// One per family of terms; each fills in operands and result.
void buildDims(RuleBuilder &B, ShapeTerm T);    // DimTerms.cpp
void buildSizes(RuleBuilder &B, ShapeTerm T);   // SizeTerms.cpp
void buildLayer(RuleBuilder &B, ShapeTerm T);   // LayerTerms.cpp
void buildLoss(RuleBuilder &B, ShapeTerm T);    // LossTerms.cpp
void buildIndexed(RuleBuilder &B, ShapeTerm T); // IndexTerms.cpp
void buildReshape(RuleBuilder &B, ShapeTerm T); // Reshape.cpp
// Notation.cpp
SameSize fits(const RuleBuilder &B, const FactorNotation &N);
/// All operands that \p N must have are given.
bool isGiven(const RuleBuilder &B, const FactorNotation &N);
bool fitsRank(const FactorNotation &N, unsigned Position, unsigned Rank);
void buildNotation(RuleBuilder &B, const FactorNotation &N);
void buildEinsum(RuleBuilder &B);

} // namespace spmd::rules::global

#endif // SPMD_RULES_LIB_GLOBAL_RULEBUILDER_H
