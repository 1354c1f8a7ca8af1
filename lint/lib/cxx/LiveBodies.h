//===- LiveBodies.h - What a program can get to -----------------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_LIVEBODIES_H
#define SPMD_LINT_CXX_LIVEBODIES_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint {

/// The bodies of a file but for functions that only others name which nobody
/// calls, or that stand where a constant says that nobody gets.
class LiveBodies {
public:
  explicit LiveBodies(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  bool contains(const clang::FunctionDecl *FD) const {
    return Live.contains(FD->getCanonicalDecl());
  }

private:
  llvm::DenseSet<const clang::FunctionDecl *> Live;
};

/// The variables outside functions, but those of system headers, that begin
/// with something.
std::vector<const clang::VarDecl *>
initialisedGlobals(const clang::ASTContext &Ctx);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_LIVEBODIES_H
