//===- Matches.h - Whether a matcher matches in a snippet -------*- C++ -*-===//

#ifndef SPMD_TEST_MATCHERS_MATCHES_H
#define SPMD_TEST_MATCHERS_MATCHES_H

#include "spmd/lint/Matchers.h"

#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <gtest/gtest.h>

#include <map>

namespace spmd::lint {

/// \p Code, which finds the stub headers of the tests; parsed once. What is
/// matched is in it, not in them.
inline clang::ASTContext &parsed(llvm::StringRef Code) {
  static std::map<std::string, std::unique_ptr<clang::ASTUnit>> Known;
  std::unique_ptr<clang::ASTUnit> &AST = Known[Code.str()];
  if (AST)
    return AST->getASTContext();
  AST = clang::tooling::buildASTFromCodeWithArgs(
      Code, {"-std=c++20", "-w", "-isystem", SPMD_SOURCE_DIR "/test/stubs",
             "-isystem", SPMD_SOURCE_DIR "/runtime/include", "-isystem",
             SPMD_SOURCE_DIR "/rules/types/include"});
  EXPECT_FALSE(AST->getDiagnostics().hasErrorOccurred());
  std::vector<clang::Decl *> Own;
  for (clang::Decl *D : AST->getASTContext().getTranslationUnitDecl()->decls())
    if (AST->getSourceManager().isInMainFile(D->getLocation()))
      Own.push_back(D);
  AST->getASTContext().setTraversalScope(Own);
  return AST->getASTContext();
}

/// How many nodes of \p Code match.
template <typename Matcher>
std::size_t countMatches(llvm::StringRef Code, const Matcher &M) {
  clang::ast_matchers::MatchFinder Finder;
  struct : clang::ast_matchers::MatchFinder::MatchCallback {
    void run(const clang::ast_matchers::MatchFinder::MatchResult &) override {
      ++Count;
    }
    std::size_t Count = 0;
  } Callback;
  Finder.addMatcher(M, &Callback);
  Finder.matchAST(parsed(Code));
  return Callback.Count;
}

template <typename Matcher>
bool matches(llvm::StringRef Code, const Matcher &M) {
  return countMatches(Code, M) != 0;
}
template <typename Matcher>
bool notMatches(llvm::StringRef Code, const Matcher &M) {
  return countMatches(Code, M) == 0;
}

} // namespace spmd::lint

#endif // SPMD_TEST_MATCHERS_MATCHES_H
