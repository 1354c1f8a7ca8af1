//===- StepClosures.cpp - What a step runs first --------------------------===//

#include "StepClosures.h"

#include "../Constancy.h"
#include "../HeldFunctions.h"

#include "cxx/KnownCalls.h"
#include "cxx/KnownTypes.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// A closure, or a variable that holds one, and its body; null if that is not
/// seen.
struct Closure {
  const Expr *Object = nullptr;
  const FunctionDecl *Body = nullptr;
};

/// What a function does with \p Made, or with the variable that it is: whether
/// that is no more than steps, and calls.
class UsesOf : public RecursiveASTVisitor<UsesOf> {
public:
  UsesOf(ExprLowering &L, const Expr *Made) : L(L), Made(Made) {}

  bool VisitVarDecl(VarDecl *VD) {
    if (VD->hasInit() && strip(VD->getInit()) == Made)
      Variable = VD;
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions += Variable && E->getDecl() == Variable;
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    Known += E->getOperator() == OO_Call && isIt(E->getArg(0));
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    if (isOptimizerStep(C) && seesClosures(L, C))
      for (const Expr *A : C.Arguments) {
        IsGiven |= strip(A) == Made;
        Known += isIt(A);
      }
    return true;
  }
  bool areSteps() const {
    return IsGiven || (Variable && Known && Known == Mentions);
  }

private:
  bool isIt(const Expr *E) const {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *Copy = dyn_cast<CXXConstructExpr>(E);
        Copy && Copy->getNumArgs() == 1)
      return isIt(Copy->getArg(0));
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    return Ref && Variable && Ref->getDecl() == Variable;
  }

  ExprLowering &L;
  const Expr *Made;
  const VarDecl *Variable = nullptr;
  unsigned Mentions = 0, Known = 0;
  bool IsGiven = false;
};

} // namespace

static Closure closureIn(const ExprLowering &L, const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  const bool IsFunction =
      className(E->getType().getNonReferenceType()) == "std::function";
  if (const auto *Made = dyn_cast<CXXConstructExpr>(E))
    return Made->getNumArgs() ? closureIn(L, Made->getArg(0)) : Closure();
  if (isClosure(E))
    return {E, E->getType()
                   .getNonReferenceType()
                   ->getAsCXXRecordDecl()
                   ->getLambdaCallOperator()};
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!IsFunction || !VD || !VD->isLocalVarDecl() ||
      !L.Body.constancy().isConstant(VD))
    return {};
  const LambdaExpr *Held = heldLambda(VD->getInit());
  return Held ? Closure{E, Held->getCallOperator()} : Closure();
}

bool seesClosures(ExprLowering &L, const CallSite &C) {
  return llvm::all_of(C.Arguments, [&](const Expr *A) {
    const Closure Of = isAbsent(strip(A)) ? Closure() : closureIn(L, A);
    return isAbsent(strip(A)) || (Of.Body && L.module().isKnown(Of.Body));
  });
}

bool isMadeForStep(ExprLowering &L, const Expr *Made) {
  if (className(Made->getType()) != "std::function" || !L.function()->getBody())
    return false;
  UsesOf Uses(L, Made);
  Uses.TraverseStmt(L.function()->getBody());
  return Uses.areSteps();
}

bool runClosures(ExprLowering &L, const CallSite &C) {
  if (!seesClosures(L, C))
    return false;
  for (const Expr *A : C.Arguments) {
    if (isAbsent(strip(A)))
      continue;
    const Closure Of = closureIn(L, A);
    CallFact Run;
    Run.At = L.place(C.Call);
    Run.Receiver = L.operand(Of.Object);
    Run.Callee = L.module().require(Of.Body);
    Run.Dst = L.temporary();
    L.emit(std::move(Run));
  }
  return true;
}

} // namespace spmd::lint::lower
