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
  /// The file's own variables outside functions that begin with something.
  llvm::ArrayRef<const clang::VarDecl *> globals() const { return Globals; }

private:
  llvm::DenseSet<const clang::FunctionDecl *> Live;
  std::vector<const clang::VarDecl *> Globals;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_LIVEBODIES_H
