//===- PointerUses.h - What a body does to its pointers ---------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_POINTERUSES_H
#define SPMD_LINT_LOWER_POINTERUSES_H

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace spmd::lint::lower {

/// What a pointer, an array or a vector is of; null of others.
clang::QualType numberIn(clang::QualType T);
/// The pointer to numbers, or array or vector of some, that \p E names, of
/// which nothing is declared; null of others.
const clang::VarDecl *bufferAt(const clang::Expr *E);
/// The vector whose `data()` \p E asks for; null if it is none.
const clang::VarDecl *vectorOf(const clang::Expr *E);

/// What a body does to its pointers.
class PointerUses : public clang::RecursiveASTVisitor<PointerUses> {
public:
  struct Pointer {
    unsigned Sets = 0;
    const clang::Expr *Value = nullptr; ///< that it was last set to
    /// A call that gets its address.
    const clang::CallExpr *Allocation = nullptr;
  };
  llvm::MapVector<const clang::VarDecl *, Pointer> Of;
  /// What some lambda has, or a vector that gets other memory.
  llvm::DenseSet<const clang::VarDecl *> Other;
  std::vector<const clang::Expr *> Sums; ///< of a pointer and a number
  std::vector<const clang::CallExpr *> Calls;
  std::vector<const clang::ArraySubscriptExpr *> Elements;
  /// By counter: what a loop counts up to.
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> BoundOf;

  bool TraverseLambdaExpr(clang::LambdaExpr *E);
  bool VisitVarDecl(clang::VarDecl *VD);
  bool VisitBinaryOperator(clang::BinaryOperator *E);
  bool VisitUnaryOperator(clang::UnaryOperator *E);
  bool VisitCallExpr(clang::CallExpr *E);
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *E);
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *E);
  bool VisitForStmt(clang::ForStmt *S);

private:
  void set(const clang::VarDecl *VD, const clang::Expr *Value);
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERUSES_H
