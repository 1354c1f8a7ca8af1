//===- Check.h - The list of checks -----------------------------*- C++ -*-===//
//
// A check is one entry in lint/checks; it registers itself, so no list has to
// be edited when one is added:
//
//   static const CheckRegistration Register({"spmd-src-type", Severity::Error,
//       "a collective's declared source is not its operand's type"});
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CHECK_H
#define SPMD_LINT_CHECK_H

#include "spmd/lint/CheckOption.h"
#include "spmd/lint/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"

namespace spmd::lint {

struct CheckInfo {
  llvm::StringRef Name; ///< "spmd-…", a literal
  Severity Default = Severity::Error;
  llvm::StringRef Summary; ///< one line for --list-checks
  /// What users may set under `CheckOptions`.
  llvm::ArrayRef<CheckOption> Options = {};
};

class CheckRegistration {
public:
  explicit CheckRegistration(const CheckInfo &Info);
};

/// All registered checks, sorted by name. Not before main.
llvm::ArrayRef<CheckInfo> allChecks();
const CheckInfo *findCheck(llvm::StringRef Name);
/// "spmd-suppression.RequireReason", of all checks.
std::vector<std::string> checkOptionNames();
/// Null if no check has it.
const CheckOption *findCheckOption(llvm::StringRef FullName);
/// The check's page (lint/checks/<name>.md), empty when it has none.
llvm::StringRef checkPage(llvm::StringRef Name);
/// The page, and behind it a table of the check's options, if it has any.
std::string checkHelp(llvm::StringRef Name);

} // namespace spmd::lint

#endif // SPMD_LINT_CHECK_H
