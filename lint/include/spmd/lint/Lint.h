//===- Lint.h - The analysis of one translation unit ------------*- C++ -*-===//
//
// The one entry point of every front end: spmd-tidy, the clang-tidy module and
// clangd.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LINT_H
#define SPMD_LINT_LINT_H

#include "spmd/lint/LintResult.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace spmd::lint {

/// Analyses the declarations in Ctx's traversal scope. No global state: several
/// threads may each run one.
LintResult lintTranslationUnit(clang::ASTContext &Ctx, const Config &Cfg,
                               const LintRequest &Req);

/// Analyses files that were lowered with ForProgram as one program: calls reach
/// the bodies in other files.
LintResult lintProgram(llvm::ArrayRef<std::shared_ptr<const ProgramUnit>> Units,
                       const Config &Cfg, const LintRequest &Req);

} // namespace spmd::lint

#endif // SPMD_LINT_LINT_H
