//===- LearningRate.h - What an optimizer is told to use --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_LEARNINGRATE_H
#define SPMD_LINT_LOWER_APIS_LEARNINGRATE_H

#include "cxx/CallSite.h"

namespace spmd::lint::lower {

/// The learning rate in the options of an optimizer, `SGDOptions(0.1 * n)` or
/// `AdamOptions(0.1).lr(r)`; null: none is said there.
const clang::Expr *learningRateIn(const clang::Expr *Options);

/// Of `group.options().set_lr(r)`, the group; null: \p C sets no learning rate.
const clang::Expr *groupOfNewRate(const CallSite &C);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_LEARNINGRATE_H
