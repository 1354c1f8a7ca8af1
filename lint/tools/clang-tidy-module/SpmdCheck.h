//===- SpmdCheck.h - Our checks as clang-tidy checks ------------*- C++ -*-===//

#ifndef SPMD_LINT_TOOLS_SPMDCHECK_H
#define SPMD_LINT_TOOLS_SPMDCHECK_H

#include "spmd/lint/Lint.h"

#include "clang-tidy/ClangTidyCheck.h"

namespace spmd::lint {

/// clang-tidy --fix applies what is on the finding itself; clangd titles a
/// quick fix by the note that carries it, and sets this before it starts.
inline bool EveryFixOnNote = false;

/// One clang-tidy check for each of ours. All of them share one analysis of
/// the translation unit; each shows its own findings.
class SpmdCheck : public clang::tidy::ClangTidyCheck {
public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(clang::ast_matchers::MatchFinder *Finder) override;
  void
  check(const clang::ast_matchers::MatchFinder::MatchResult &Match) override;
  void onEndOfTranslationUnit() override;

private:
  void show(const Diagnostic &D, clang::SourceManager &SM);
};

} // namespace spmd::lint

#endif // SPMD_LINT_TOOLS_SPMDCHECK_H
