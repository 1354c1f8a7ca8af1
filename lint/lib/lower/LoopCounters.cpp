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

namespace {

/// Whether an expression mentions one of some variables, or the thread.
class Mentioning : public RecursiveASTVisitor<Mentioning> {
public:
  explicit Mentioning(const llvm::DenseSet<const VarDecl *> &Of) : Of(Of) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    Found |= VD && (Of.contains(VD) || VD->getName() == "threadIdx" ||
                    VD->getName() == "blockIdx");
    return !Found;
  }
  bool Found = false;

private:
  const llvm::DenseSet<const VarDecl *> &Of;
};

bool mentions(const Expr *E, const llvm::DenseSet<const VarDecl *> &Of) {
  Mentioning Visitor(Of);
  Visitor.TraverseStmt(const_cast<Expr *>(E));
  return Visitor.Found;
}

/// The variables that loops step, and then, in the order of the text, those
/// that are made of them.
class SteppedVisitor : public RecursiveASTVisitor<SteppedVisitor> {
public:
  explicit SteppedVisitor(llvm::DenseSet<const VarDecl *> &Stepped)
      : Stepped(Stepped) {}
  bool VisitForStmt(ForStmt *S) {
    const Expr *Step = S->getInc();
    if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Step))
      Step = Unary->getSubExpr();
    else if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(Step))
      Step = Binary->getLHS();
    const auto *Ref =
        Step ? dyn_cast<DeclRefExpr>(Step->IgnoreParens()) : nullptr;
    if (const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr)
      if (VD->getType()->isIntegerType())
        Stepped.insert(VD);
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) {
    if (VD->hasInit() && VD->getType()->isIntegerType() &&
        mentions(VD->getInit(), Stepped))
      Stepped.insert(VD);
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> &Stepped;
};

} // namespace

SteppedNumbers::SteppedNumbers(const FunctionDecl *FD) {
  SteppedVisitor(Stepped).TraverseStmt(FD->getBody());
}

bool SteppedNumbers::isIn(const Expr *E) const { return mentions(E, Stepped); }

} // namespace spmd::lint::lower
