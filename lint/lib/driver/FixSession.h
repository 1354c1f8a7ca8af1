//===- FixSession.h - --fix and --fix-dry-run -------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_FIXSESSION_H
#define SPMD_LINT_LIB_DRIVER_FIXSESSION_H

#include "Findings.h"

#include <functional>
#include <set>

namespace spmd::lint {

/// Applies repairs in memory until none is left, linting what changed after
/// each round. The disk is written once, at the end.
class FixSession {
public:
  FixSession(llvm::ArrayRef<LintJob> Jobs, std::vector<FileResult> &Results,
             FileOverlay &Overlay, ConfigLoader &Configs,
             const LintRequest &Request, unsigned Threads,
             PrefixCache &Prefixes, bool Unsafe, bool OnlyGlobal)
      : Jobs(Jobs), Results(Results), Overlay(Overlay), Configs(Configs),
        Request(Request), Threads(Threads), Prefixes(Prefixes), Unsafe(Unsafe),
        OnlyGlobal(OnlyGlobal) {}

  /// Asked of each repair before it is made.
  std::function<bool(const Diagnostic &, const Fix &, const SourceTexts &)>
      Wants;

  /// \p Now are the findings of Results. Afterwards Results and the overlay are
  /// those of the repaired files.
  void run(Findings Now);

  /// Files with repairs that were not made because they do not parse.
  const std::set<std::string> &refused() const { return RefusedIn; }
  /// Files of which as much was found afterwards as before.
  const std::set<std::string> &useless() const { return Useless; }
  /// Leaves \p Files as they were, and those that share a repair with them.
  void takeBack(std::set<std::string> Files);
  /// What was applied, in the order of the rounds.
  llvm::ArrayRef<std::pair<Place, Fix>> applied() const { return Made; }
  /// The changed files with the text that each had before.
  const FileOverlay &originals() const { return Originals; }

private:
  /// A repair by what it makes of its lines.
  using Identity = std::vector<std::pair<std::string, std::string>>;
  static Identity identify(const Fix &F, const SourceTexts &Texts);

  bool round(const Findings &Now);
  /// Makes the repairs of \p Wanted, or of as many as parse together; false
  /// when none of them does.
  bool make(llvm::ArrayRef<Diagnostic> Wanted);
  std::set<std::string> apply(const FixSelection &Selection);
  /// Lints the files that read \p Changed; false, and nothing done, when they
  /// no longer parse.
  bool lintAgain(const std::set<std::string> &Changed);
  void takeBackUseless(const Findings &Before, const Findings &Now);
  bool isWanted(const Diagnostic &D, const SourceTexts &Texts) const;
  bool isUnchanged(llvm::StringRef File, llvm::StringRef Text) const;

  llvm::ArrayRef<LintJob> Jobs;
  std::vector<FileResult> &Results;
  FileOverlay &Overlay;
  ConfigLoader &Configs;
  const LintRequest &Request;
  unsigned Threads;
  PrefixCache &Prefixes;
  bool Unsafe;
  bool OnlyGlobal; ///< findings of global code
  std::vector<std::pair<Place, Fix>> Made;
  std::set<Identity> Refused;
  std::set<std::string> RefusedIn, Useless;
  FileOverlay Originals;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_FIXSESSION_H
