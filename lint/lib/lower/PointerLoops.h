//===- PointerLoops.h - Loops over a few structs that are named -*- C++ -*-===//
//
// `for (Weight *p : {&up, &down}) sgd(p->w, p->g)`: what an iteration does to
// the struct it does to one that has a name. Each gets an iteration of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_POINTERLOOPS_H
#define SPMD_LINT_LOWER_POINTERLOOPS_H

#include "Constancy.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

class PointerLoops {
public:
  PointerLoops(const clang::FunctionDecl *FD, const Constancy &Constant);

  struct Loop {
    const clang::VarDecl *Variable = nullptr;
    llvm::SmallVector<const clang::Expr *, 4> Elements; ///< pointers
  };
  /// Null if the statement \p S is no such loop.
  const Loop *find(const clang::Stmt *S) const {
    const auto At = Loops.find(S);
    return At == Loops.end() ? nullptr : &At->second;
  }
  /// The loop whose iterations begin with the declaration of \p VD.
  const Loop *of(const clang::VarDecl *VD) const { return find(Of.lookup(VD)); }

private:
  llvm::DenseMap<const clang::Stmt *, Loop> Loops;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> Of;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERLOOPS_H
