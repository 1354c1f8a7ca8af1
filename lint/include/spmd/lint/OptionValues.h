//===- OptionValues.h - What is wrong with a check's options ----*- C++ -*-===//

#ifndef SPMD_LINT_OPTIONVALUES_H
#define SPMD_LINT_OPTIONVALUES_H

#include "spmd/lint/CheckOption.h"

#include <string>
#include <vector>

namespace spmd::lint {

/// What is wrong with a value of the option; empty: nothing.
std::string wrongOptionValue(llvm::StringRef FullName, const CheckOption &Of,
                             llvm::StringRef Value);
/// The parts of a value of Names or Globs, which semicolons separate.
std::vector<std::string> optionNames(llvm::StringRef Value);
/// "unknown check option …", with the nearest name.
std::string unknownCheckOption(llvm::StringRef FullName);

} // namespace spmd::lint

#endif // SPMD_LINT_OPTIONVALUES_H
