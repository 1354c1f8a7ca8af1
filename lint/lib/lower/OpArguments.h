//===- OpArguments.h - What calls of ops pass besides tensors ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_OPARGUMENTS_H
#define SPMD_LINT_LOWER_OPARGUMENTS_H

#include "Recognisers.h"

#include "spmd/ops/OpArgument.h"

namespace spmd::lint::lower {

using OpArguments = std::vector<rules::OpArgument>;

/// Integers, bools, strings and lists of integers, by parameter. What a struct
/// of options is made with comes under the names of its members, and `options`
/// besides: not all of it is told.
OpArguments argumentsOf(ExprLowering &L, const CallSite &C);

/// The tensors of a list argument written in place, else the list's summary.
void listElements(ExprLowering &L, const clang::Expr *E,
                  llvm::SmallVectorImpl<Operand> &Out);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_OPARGUMENTS_H
