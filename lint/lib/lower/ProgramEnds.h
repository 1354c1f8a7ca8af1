//===- ProgramEnds.h - Where a function does not come back ------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_PROGRAMENDS_H
#define SPMD_LINT_LOWER_PROGRAMENDS_H

namespace clang {
class ASTContext;
class CallExpr;
class CFGBlock;
class FunctionDecl;
} // namespace clang

namespace spmd::rules {
class CollectiveApis;
} // namespace spmd::rules

namespace spmd::lint::lower {

/// The `exit(0)` that the body of \p Main ends with, which is as good as a
/// return; null if it ends otherwise.
const clang::CallExpr *lastExit(const clang::FunctionDecl *Main);
/// Whether who comes to \p B, a block of \p F, never leaves it for the caller:
/// exit(), a throw, or the main function's end with an error where it has
/// another one without.
bool endsProgram(const clang::CFGBlock &B, const clang::FunctionDecl *F,
                 const clang::ASTContext &Ctx);
/// Whether \p B ends the program on all ranks, by MPI_Abort say, which is not
/// declared so.
bool callsAbort(const clang::CFGBlock &B, const rules::CollectiveApis &Apis);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_PROGRAMENDS_H
