//===- ReducingCode.h - Code that may add up what ranks have ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_REDUCINGCODE_H
#define SPMD_LINT_LOWER_REDUCINGCODE_H

#include "clang/AST/Stmt.h"

namespace spmd::lint::lower {

/// Whether \p Body, or what it calls, has a call that is given a communicator,
/// or one of which nobody knows what it does.
bool mayReduce(const clang::Stmt *Body);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_REDUCINGCODE_H
