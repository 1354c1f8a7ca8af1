//===- PointerLoops.h - Loops over a few structs that are named -*- C++ -*-===//
//
// `for (Weight *p : {&up, &down}) sgd(p->w, p->g)`: what an iteration does to
// the struct it does to one that has a name. Each gets an iteration of its own.
// So does each of `for (int i = 0; i < 2; ++i) sgd(all[i]->w, all[i]->g)`.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_POINTERLOOPS_H
#define SPMD_LINT_LOWER_POINTERLOOPS_H

#include "Constancy.h"
#include "PointerLists.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

class PointerLoops {
public:
  PointerLoops(const clang::FunctionDecl *FD, const Constancy &Constant,
               const PointerLists &Lists);

  struct Loop {
    const clang::Stmt *At = nullptr;
    const clang::VarDecl *Variable = nullptr; ///< null: \c Mentions are it
    llvm::SmallVector<const clang::Expr *, 4> Mentions; ///< `all[i]`
    llvm::SmallVector<const clang::Expr *, 4> Elements; ///< pointers
    /// Of whose members the elements are those; null: of this one.
    const clang::Expr *Object = nullptr;
  };
  /// Null if the statement \p S is no such loop.
  const Loop *find(const clang::Stmt *S) const {
    const auto At = Loops.find(S);
    return At == Loops.end() ? nullptr : &At->second;
  }
  /// The loop whose iterations begin with the declaration of \p VD.
  const Loop *of(const clang::VarDecl *VD) const { return find(Of.lookup(VD)); }
  /// The loop that counts to the element \p E of a list.
  const Loop *of(const clang::Expr *E) const { return find(At.lookup(E)); }

private:
  llvm::DenseMap<const clang::Stmt *, Loop> Loops;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> Of;
  llvm::DenseMap<const clang::Expr *, const clang::Stmt *> At;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERLOOPS_H
