//===- ChangedLines.h - Since a revision ---------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_CHANGEDLINES_H
#define SPMD_LINT_LIB_DRIVER_CHANGEDLINES_H

#include "spmd/lint/Diagnostic.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/Support/Error.h"

#include <map>

namespace spmd::lint {

/// The lines in which the working tree differs from a revision: from where the
/// branches parted, as a reviewer sees it.
class ChangedLines {
public:
  /// \p Revision empty: the last commit. Files that Git does not know yet are
  /// new as a whole.
  static llvm::Expected<ChangedLines> since(llvm::StringRef Revision,
                                            llvm::StringRef WorkingDirectory);

  /// Whether a line of \p Where has changed.
  bool contain(const Place &Where, const SourceTexts &Texts) const;
  /// Those that changed and are still there.
  std::vector<std::string> files() const;

private:
  struct Range {
    unsigned First, Last;
  };
  llvm::Error readDiff(llvm::StringRef Diff, llvm::StringRef Root);

  std::map<std::string, std::vector<Range>> Ranges; ///< by absolute path
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_CHANGEDLINES_H
