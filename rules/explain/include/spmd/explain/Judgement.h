//===- Judgement.h - Whether an op may have these types ---------*- C++ -*-===//

#ifndef SPMD_EXPLAIN_JUDGEMENT_H
#define SPMD_EXPLAIN_JUDGEMENT_H

#include "spmd/explain/Dual.h"
#include "spmd/types/LocalType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace spmd::explain {

/// One value on every rank.
using RankValues = std::vector<Values>;
std::string print(const RankValues &X); ///< "[1 2 | 3 4]", ranks apart by bars

/// What one rank computes from its operands.
using LocalFunction = llvm::function_ref<Values(llvm::ArrayRef<Values>)>;

/// An op takes operands of these types to a result of this type, on one axis.
struct Judgement {
  LocalFunction F;
  llvm::SmallVector<rules::LocalType, 3> Operands;
  rules::LocalType Result;
  unsigned Elements = 1; ///< of each operand
};

/// Ranks on which a judgement is wrong.
struct Counterexample {
  std::vector<RankValues> Operands;
  RankValues Result;
  /// Of the result: what it means, and what one device computes (empty when
  /// the result is no value of its type at all).
  std::string Meaning, Expected;
  /// When the result is right: the operand whose gradient is not, the gradient
  /// that comes in and the one that goes out.
  std::optional<unsigned> WrongGradient;
  RankValues Cotangent, Gradient;
  bool GradientIsLegal = false;

  std::string str(const Judgement &J) const;
};

/// A judgement is right (docs/oracle.md) when the result is legal, means the
/// function of what the operands mean, and each operand's gradient is legal and
/// pairs with every tangent as the result's does. Tries simple values first, on
/// two to four ranks; nothing when it is right on every try.
std::optional<Counterexample> findCounterexample(const Judgement &J,
                                                 unsigned Tries = 24);

} // namespace spmd::explain

#endif // SPMD_EXPLAIN_JUDGEMENT_H
