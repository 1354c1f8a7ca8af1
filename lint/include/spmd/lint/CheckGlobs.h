//===- CheckGlobs.h - Which checks a list of globs names --------*- C++ -*-===//

#ifndef SPMD_LINT_CHECKGLOBS_H
#define SPMD_LINT_CHECKGLOBS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace spmd::lint {

/// Splits "spmd-*,-spmd-contract". A glob that matches no check is an error
/// with the nearest name.
llvm::Expected<std::vector<std::string>> splitCheckGlobs(llvm::StringRef Text);

} // namespace spmd::lint

#endif // SPMD_LINT_CHECKGLOBS_H
