//===- Fixes.h - Applying repairs -------------------------------*- C++ -*-===//

#ifndef SPMD_LINT_FIXES_H
#define SPMD_LINT_FIXES_H

#include "spmd/lint/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <map>

namespace spmd::lint {

/// Sorted by offset; insertions at one place are joined in their order.
std::vector<Edit> normalisedEdits(llvm::ArrayRef<Edit> Edits);

struct FixSelection {
  /// By file, sorted, free of overlaps.
  std::map<std::string, std::vector<Edit>> Edits;
  /// The chosen ones, for a list of them.
  std::vector<std::pair<Place, Fix>> Fixes;
  /// Repairs that overlap chosen ones: they wait for the next round.
  unsigned Deferred = 0;
};

/// Chooses the preferred repairs of \p Diagnostics, the earlier one where two
/// overlap; unsafe ones only when \p Unsafe. A repair is taken as a whole, and
/// only if all files it edits are \p Allowed. Equal repairs count once.
FixSelection
selectFixes(llvm::ArrayRef<Diagnostic> Diagnostics, bool Unsafe,
            llvm::function_ref<bool(llvm::StringRef File)> Allowed);

/// \p Edits are as FixSelection has them. New lines are written as the text
/// writes its own.
std::string applyEdits(llvm::StringRef Text, llvm::ArrayRef<Edit> Edits);

/// As Git prints it, so that `git apply` and `patch -p1` take it in the working
/// directory that \p Path is relative to; an absolute one stands as it is.
/// Empty when the texts are equal.
std::string unifiedDiff(llvm::StringRef Path, llvm::StringRef Old,
                        llvm::StringRef New);

/// Replaces a file's contents in one step or not at all; its permissions stay,
/// and a link stays a link.
llvm::Error replaceFile(llvm::StringRef Path, llvm::StringRef Text);

} // namespace spmd::lint

#endif // SPMD_LINT_FIXES_H
