//===- LowerCall.h - Calls: who knows what they do --------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERCALL_H
#define SPMD_LINT_LOWER_LOWERCALL_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

SlotId lowerCall(ExprLowering &L, const clang::Expr *E);
/// `object.method()`, not `object.Base::method()`.
bool isVirtualCall(const clang::Expr *E);
/// A call of what the module has, or will have, under \p Symbol.
SlotId lowerKnownCall(ExprLowering &L, const CallSite &C, std::string Symbol);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERCALL_H
