//===- ResultText.h - A file's result as text -------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_RESULTTEXT_H
#define SPMD_LINT_LIB_DRIVER_RESULTTEXT_H

#include "LintFile.h"

namespace spmd::lint {

/// YAML that parseResult() reads back, with paths as seen from \p Root. Nothing
/// when the result has text that YAML cannot hold.
std::optional<std::string> printResult(const FileResult &Result,
                                       llvm::StringRef Root = "");
std::optional<FileResult> parseResult(llvm::StringRef Text,
                                      llvm::StringRef Root = "");

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_RESULTTEXT_H
