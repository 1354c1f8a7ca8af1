//===- SpmdCheck.h - Our checks as clang-tidy checks ------------*- C++ -*-===//

#ifndef SPMD_LINT_TOOLS_SPMDCHECK_H
#define SPMD_LINT_TOOLS_SPMDCHECK_H

#include "spmd/lint/Lint.h"

#include "clang-tidy/ClangTidyCheck.h"

namespace spmd::lint {

/// clang-tidy --fix applies what is on the finding itself; clangd titles a
/// quick fix by the note that carries it, and sets this before it starts.
inline bool EveryFixOnNote = false;

/// Sees each analysis, where a front end shows more than findings; several
/// threads may call it.
inline void (*OnAnalysis)(const clang::ASTContext &, const Config &,
                          const LintResult &) = nullptr;

/// How a finding of the least severity is shown. clangd takes remarks for notes
/// of what came before.
inline clang::DiagnosticIDs::Level LeastLevel = clang::DiagnosticIDs::Remark;

/// One clang-tidy check for each of ours. All of them share one analysis of
/// the translation unit; each shows its own findings.
class SpmdCheck : public clang::tidy::ClangTidyCheck {
public:
  SpmdCheck(llvm::StringRef Name, clang::tidy::ClangTidyContext *Context)
      : ClangTidyCheck(Name, Context), Context(Context) {
    // --verify-config knows the options that a check asks for when it is made.
    for (const CheckOption &O : findCheck(Name)->Options)
      (void)Options.get(O.Name);
  }

  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Into) override;
  void registerMatchers(clang::ast_matchers::MatchFinder *Finder) override;
  void
  check(const clang::ast_matchers::MatchFinder::MatchResult &Match) override;
  void onEndOfTranslationUnit() override;

private:
  void show(const Diagnostic &D, clang::SourceManager &SM);
  void treatAsErrors(bool Wanted);

  clang::tidy::ClangTidyContext *Context;
};

/// What WarningsAsErrors has for us at this moment. An error of a check is no
/// error of the compiler: NOLINT and --fix would not work with one.
llvm::StringRef checksThatAreErrors();

} // namespace spmd::lint

#endif // SPMD_LINT_TOOLS_SPMDCHECK_H
