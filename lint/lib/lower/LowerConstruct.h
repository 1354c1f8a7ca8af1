//===- LowerConstruct.h - Objects that are made -----------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERCONSTRUCT_H
#define SPMD_LINT_LOWER_LOWERCONSTRUCT_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

SlotId lowerConstruct(ExprLowering &L, const clang::CXXConstructExpr *E);
SlotId lowerInitList(ExprLowering &L, const clang::InitListExpr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERCONSTRUCT_H
