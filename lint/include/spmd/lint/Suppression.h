//===- Suppression.h - NOLINT and [[spmd::allow]] ---------------*- C++ -*-===//
//
// Works on diagnostics and on the text of files, so that every front end has
// the same suppressions.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_SUPPRESSION_H
#define SPMD_LINT_SUPPRESSION_H

#include "spmd/lint/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace spmd::lint {

/// One request to be silent about some lines of one file.
struct Suppression {
  Place Where;            ///< the comment's keyword, or the attribute
  std::string Spelling;   ///< "NOLINTNEXTLINE", "[[spmd::allow]]"
  unsigned FirstLine = 0; ///< lines whose findings are suppressed
  unsigned LastLine = 0;  ///< inclusive
  /// Globs over check names; empty: every tool's every check.
  std::vector<std::string> Checks;
  bool HasReason = false;
  /// A whole comment that may be deleted when it suppresses nothing; a length
  /// of 0 when the text around it has other purposes.
  Place Removable;

  friend auto operator<=>(const Suppression &, const Suppression &) = default;
};

/// A comment that cannot be understood.
struct SuppressionError {
  Place Where;
  std::string Message;
};

struct FileSuppressions {
  std::vector<Suppression> Suppressions;
  std::vector<SuppressionError> Errors; ///< unmatched NOLINTBEGIN and -END
};

/// Finds the NOLINT comments of C++ source \p Text.
FileSuppressions scanSuppressions(llvm::StringRef File, llvm::StringRef Text);

/// What a front end knows about the files that hold suppressions.
struct SuppressionPolicy {
  /// Whether a check's findings in a file were asked for: a suppression of one
  /// that is off is not useless.
  std::function<bool(llvm::StringRef File, llvm::StringRef Check)> IsEnabled;
  /// Whether the whole file was analysed. In one that has parse errors a
  /// suppression may seem to suppress nothing.
  std::function<bool(llvm::StringRef File)> IsComplete;
  /// Whether an option of spmd-suppression is on for a file.
  std::function<bool(llvm::StringRef File, llvm::StringRef Option)> IsOn;
};

/// Removes what is suppressed from \p Diagnostics, and says how many that were.
/// Adds `spmd-suppression` findings: for a suppression of our checks that
/// suppresses nothing, that names no check of ours, or that gives no reason.
/// Comments that name no check, or only other tools' checks, are nobody's
/// business here.
unsigned applySuppressions(std::vector<Diagnostic> &Diagnostics,
                           std::vector<Suppression> Suppressions,
                           llvm::ArrayRef<SuppressionError> Errors,
                           const SuppressionPolicy &Policy);

} // namespace spmd::lint

#endif // SPMD_LINT_SUPPRESSION_H
