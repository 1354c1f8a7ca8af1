//===- LoopCounters.cpp - What counts the iterations of a loop ------------===//

#include "LoopCounters.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

const VarDecl *numberOf(const ForStmt *S) {
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  const auto *VD =
      D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  return VD && !VD->isStaticLocal() && VD->getType()->isIntegerType() ? VD
                                                                      : nullptr;
}

namespace {

/// Whether some statement may change a variable.
class Changing : public RecursiveASTVisitor<Changing> {
public:
  explicit Changing(const VarDecl *VD) : VD(VD) {}
  bool VisitUnaryOperator(UnaryOperator *E) {
    Found |= (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf) &&
             is(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    Found |= E->isAssignmentOp() && is(E->getLHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    // By reference: what is passed by value is read first.
    for (const Expr *A : E->arguments())
      Found |= is(A) && A->isLValue() && !A->getType().isConstQualified();
    return true;
  }
  bool Found = false;

private:
  bool is(const Expr *E) const {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return Ref && Ref->getDecl() == VD;
  }
  const VarDecl *VD;
};

} // namespace

const VarDecl *iterationCounter(const ForStmt *S) {
  const VarDecl *VD = numberOf(S);
  if (!VD || !S->getInc())
    return nullptr;
  Changing Step(VD), Body(VD);
  Step.TraverseStmt(const_cast<Expr *>(S->getInc()));
  Body.TraverseStmt(const_cast<Stmt *>(S->getBody()));
  return Step.Found && !Body.Found ? VD : nullptr;
}

} // namespace spmd::lint::lower
