//===- NanTest.h - Comparisons of a number with itself ----------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_NANTEST_H
#define SPMD_LINT_CXX_NANTEST_H

#include "clang/AST/Expr.h"

namespace spmd::lint {

/// `x != x` asks whether `x` is a number, which no comparison of it tells.
bool asksForNan(const clang::BinaryOperator *E, const clang::ASTContext &Ctx);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_NANTEST_H
