//===- NullTest.h - Ways on which a pointer is null -------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_NULLTEST_H
#define SPMD_LINT_LOWER_NULLTEST_H

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

/// The pointer that the condition at the end of \p B tests, and whether it is
/// null on the first way; null where it tests none.
std::pair<const clang::Expr *, bool> nullTest(const clang::CFGBlock &B);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_NULLTEST_H
