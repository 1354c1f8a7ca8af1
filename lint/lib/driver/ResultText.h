//===- ResultText.h - A file's result as text -------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_RESULTTEXT_H
#define SPMD_LINT_LIB_DRIVER_RESULTTEXT_H

#include "LintFile.h"

namespace spmd::lint {

/// YAML that parseResult() reads back. Nothing when the result has text that
/// YAML cannot hold.
std::optional<std::string> printResult(const FileResult &Result);
std::optional<FileResult> parseResult(llvm::StringRef Text);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_RESULTTEXT_H
