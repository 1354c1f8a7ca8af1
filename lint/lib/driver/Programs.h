//===- Programs.h - Files analysed together ---------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_PROGRAMS_H
#define SPMD_LINT_LIB_DRIVER_PROGRAMS_H

#include "LintFile.h"

namespace spmd::lint {

/// Links what the files kept, one program for all files with the same mesh and
/// strictness, and leaves what is found in FileResult::Program of its first
/// file. Nothing to do when the files were analysed one by one.
void lintPrograms(llvm::ArrayRef<LintJob> Jobs,
                  std::vector<FileResult> &Results, const LintRequest &Request);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_PROGRAMS_H
