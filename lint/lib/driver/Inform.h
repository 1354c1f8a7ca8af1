//===- Inform.h - Options that print and end --------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_INFORM_H
#define SPMD_LINT_LIB_DRIVER_INFORM_H

#include "Options.h"

namespace spmd::lint {

/// Answers --help, --version, --list-…, --explain… and --show-config; nothing
/// when none was given. The value is the exit code, an error wrong usage.
llvm::Expected<std::optional<int>>
inform(const Options &O, ConfigLoader &Configs, llvm::raw_ostream &OS);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_INFORM_H
