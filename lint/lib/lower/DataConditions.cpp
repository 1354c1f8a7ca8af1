//===- DataConditions.cpp - What is decided by computed data --------------===//

#include "DataConditions.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

static bool isFloating(const Expr *E) {
  return E->IgnoreParenImpCasts()->getType()->isRealFloatingType();
}

/// `isfinite(x)`, also as the builtin that a macro makes of it.
static bool asksForKind(const CallExpr *C) {
  const FunctionDecl *D = C->getDirectCallee();
  if (!D || !D->getIdentifier() || C->getNumArgs() == 0)
    return false;
  llvm::StringRef Name = D->getName();
  Name.consume_front("__builtin_");
  Name.consume_front("__");
  return (Name.starts_with("isnan") || Name.starts_with("isinf") ||
          Name.starts_with("isfinite") || Name.starts_with("isnormal")) &&
         llvm::any_of(C->arguments(), isFloating);
}

static bool ofData(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_LNot && ofData(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return B->isLogicalOp() ? ofData(B->getLHS()) && ofData(B->getRHS())
                            : B->isComparisonOp() && (isFloating(B->getLHS()) ||
                                                      isFloating(B->getRHS()));
  if (const auto *C = dyn_cast<CallExpr>(E))
    return asksForKind(C);
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *VD = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return VD && VD->isLocalVarDecl() && VD->getType()->isBooleanType() &&
         VD->getType().isConstQualified() && VD->getInit() &&
         ofData(VD->getInit());
}

bool isDecidedByData(const CFGBlock &B) {
  const Stmt *At = B.getTerminatorStmt();
  const Expr *E =
      isa_and_nonnull<IfStmt, BinaryOperator, ConditionalOperator>(At) &&
              B.succ_size() == 2
          ? B.getLastCondition()
          : nullptr;
  return E && ofData(E);
}

} // namespace spmd::lint::lower
