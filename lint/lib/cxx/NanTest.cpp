//===- NanTest.cpp - Comparisons of a number with itself ------------------===//

#include "NanTest.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

/// Whether \p E does more than name a number: an element is one, also where
/// a container's operator finds it.
static bool hasEffects(const Expr *E, const ASTContext &Ctx) {
  E = E->IgnoreParenImpCasts();
  const auto *X = dyn_cast<CXXOperatorCallExpr>(E);
  if (X && (X->getOperator() == OO_Subscript || X->getOperator() == OO_Star))
    return llvm::any_of(X->arguments(),
                        [&Ctx](const Expr *A) { return hasEffects(A, Ctx); });
  return E->HasSideEffects(Ctx);
}

bool asksForNan(const BinaryOperator *E, const ASTContext &Ctx) {
  if (!E->isEqualityOp() || !E->getLHS()->getType()->isRealFloatingType() ||
      hasEffects(E->getLHS(), Ctx))
    return false;
  llvm::FoldingSetNodeID L, R;
  E->getLHS()->IgnoreParenImpCasts()->Profile(L, Ctx, /*Canonical=*/true);
  E->getRHS()->IgnoreParenImpCasts()->Profile(R, Ctx, /*Canonical=*/true);
  return L == R;
}

} // namespace spmd::lint
