//===- Baseline.h - Findings that are known already -------------*- C++ -*-===//
//
// A file of fingerprints: what was found when it was written is not reported
// again, wherever its line or its file went. It never takes up what is new.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LIB_DRIVER_BASELINE_H
#define SPMD_LINT_LIB_DRIVER_BASELINE_H

#include "spmd/lint/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace spmd::lint {

class Baseline {
public:
  /// A file that is not there is an empty one if \p MayBeNew.
  static llvm::Expected<Baseline> load(llvm::StringRef Path, bool MayBeNew);

  /// Takes the known findings out of \p R. What was looked at, by
  /// \p IsAnalysed, and is not found any more is gone.
  void apply(Report &R, const SourceTexts &Texts,
             llvm::function_ref<bool(llvm::StringRef)> IsAnalysed);
  /// Entries that apply() found no finding for.
  unsigned gone() const { return Gone; }

  /// Writes what is left; of a file that was not there, all findings of \p R,
  /// which then are known.
  llvm::Error update(Report &R, const SourceTexts &Texts);

private:
  struct Entry {
    std::string Print, Check, File, Message;
    bool Found = false;
    friend auto operator<=>(const Entry &, const Entry &) = default;
  };
  Entry entryOf(const Diagnostic &D, llvm::StringRef Print) const;
  Entry *match(const Entry &Wanted);

  std::string Path;
  std::string Folder; ///< files are named from there
  bool IsNew = false;
  unsigned Gone = 0;
  std::vector<Entry> Entries;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_BASELINE_H
