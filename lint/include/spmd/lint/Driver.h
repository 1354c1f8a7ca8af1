//===- Driver.h - The command line tool as a function -----------*- C++ -*-===//

#ifndef SPMD_LINT_DRIVER_H
#define SPMD_LINT_DRIVER_H

#include "llvm/ADT/ArrayRef.h"

namespace spmd::lint {

/// Runs spmd-tidy with the arguments after the program's name; returns the exit
/// code that --help lists.
int runSpmdTidy(const char *Program, llvm::ArrayRef<const char *> Args);

} // namespace spmd::lint

#endif // SPMD_LINT_DRIVER_H
