//===- UnknownCode.h - What code that is not seen may do --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_UNKNOWNCODE_H
#define SPMD_LINT_LOWER_UNKNOWNCODE_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

SlotId lowerUnknownCall(ExprLowering &L, const CallSite &C);
/// Unknown code that has a module, or a list of tensors, may change what their
/// gradients are, at once or by hooks, and give the module other parameters:
/// those of libraries do not, but for those that load them.
void giveModules(ExprLowering &L, const CallSite &C);
/// \p Argument may be anything after \p At, or what a message over \p Comm
/// brings.
void havoc(ExprLowering &L, const clang::Expr *Argument, const clang::Expr *At,
           rules::SlotId Comm = rules::SlotId::None);
/// What becomes of the gradients of \p Tensor, or of the list that it is an
/// element of, in each backward pass after \p At is not seen.
void hookGradients(ExprLowering &L, SlotId Tensor, const clang::Expr *At);
/// The gradient of \p Tensor, which may be an element of a list that a loop is
/// over, is unknown from here on: somebody has it who may reduce it.
void loseGradient(ExprLowering &L, SlotId Tensor, const clang::Expr *At);
/// In place of a body: what it may do to the parameters.
void lowerAssumptions(FactWriter &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_UNKNOWNCODE_H
