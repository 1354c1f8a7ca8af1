//===- KnownCalls.h - What calls of a training program are ------*- C++ -*-===//
//
// Who asks what a call is, the lowering or a matcher, asks here. What is a call
// of a communication library stands in tables (rules/ops/apis).
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_KNOWNCALLS_H
#define SPMD_LINT_CXX_KNOWNCALLS_H

#include "CallSite.h"

#include "spmd/ir/IR.h"

#include <optional>

namespace spmd::lint {

/// The runtime's operator of the qualified \p Name, started or not. A mean is
/// the sum times a constant: on the axis an average, on others linear as the
/// sum.
std::optional<rules::TransferFact> typedOperator(llvm::StringRef Name);

/// Whether the ranks meet in it besides: in a barrier, or for the gradients.
bool meetsRanks(llvm::StringRef Name);

/// Whether the receiver is an optimizer, and what is called its own method.
bool isOptimizerMethod(const CallSite &C);
/// The call that reads the gradients and changes the parameters.
bool isOptimizerStep(const CallSite &C);

struct BackwardPass {
  const clang::Expr *From = nullptr; ///< the loss, or losses
  /// What the loss is given as its own; null, or absent, for 1.
  const clang::Expr *Gradient = nullptr;
};
std::optional<BackwardPass> backwardPass(const CallSite &C);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_KNOWNCALLS_H
