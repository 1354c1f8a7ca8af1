//===- OutPointers.cpp - Where a caller's pointer is ----------------------===//

#include "OutPointers.h"

#include "CountedLoops.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

class Uses : public RecursiveASTVisitor<Uses> {
public:
  explicit Uses(const ParmVarDecl *P) : P(P) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    All += E->getDecl() == P;
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    Allowed += E->getOpcode() == UO_Deref && names(E->getSubExpr());
    return true;
  }
  /// `if (dst)`: the caller may want another one alone.
  bool VisitCastExpr(CastExpr *E) {
    Allowed +=
        E->getCastKind() == CK_PointerToBoolean && names(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    const auto *To =
        dyn_cast<UnaryOperator>(E->getLHS()->IgnoreParenImpCasts());
    Given |= E->getOpcode() == BO_Assign && To && To->getOpcode() == UO_Deref &&
             names(To->getSubExpr());
    Allowed +=
        E->isEqualityOp() && ((names(E->getLHS()) && isNull(E->getRHS())) ||
                              (names(E->getRHS()) && isNull(E->getLHS())));
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    const bool Allocates = F && F->getIdentifier() &&
                           F->getName().contains_insensitive("alloc") &&
                           E->getNumArgs() && names(E->getArg(0));
    Allowed += Allocates;
    Allocated += Allocates;
    Given |= Allocates;
    const auto *To =
        F && F->getIdentifier() && E->getNumArgs()
            ? dyn_cast<UnaryOperator>(E->getArg(0)->IgnoreParenCasts())
            : nullptr;
    Copied += To && F->getName().contains("emcpy") &&
              To->getOpcode() == UO_Deref && names(To->getSubExpr());
    return true;
  }

  unsigned All = 0, Allowed = 0, Allocated = 0, Copied = 0;
  bool Given = false;

private:
  bool names(const Expr *E) const { return isNameOf(E->IgnoreParenCasts(), P); }
  bool isNull(const Expr *E) const {
    return E->isNullPointerConstant(P->getASTContext(),
                                    Expr::NPC_ValueDependentIsNotNull);
  }

  const ParmVarDecl *P;
};

} // namespace

bool isOutPointer(const ParmVarDecl *P) {
  const QualType T = P->getType();
  const auto *F = dyn_cast<FunctionDecl>(P->getDeclContext());
  Stmt *Body = F ? F->getBody() : nullptr;
  // Of numbers: `__half` is a class, too.
  if (!Body || !T->isPointerType() || !T->getPointeeType()->isPointerType() ||
      (T->getPointeeType()->getPointeeType()->isRecordType() &&
       classify(T->getPointeeType()) != TypeClass::Buffer))
    return false;
  Uses Of(P);
  Of.TraverseStmt(Body);
  return Of.Given && Of.All == Of.Allowed;
}

/// The parameter that \p E names; null if it is something else.
static const ParmVarDecl *parameterIn(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
}

/// The parameter p of `*p`; null of others.
static const ParmVarDecl *dereferencedBy(const Expr *E) {
  const auto *Deref = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
  return Deref && Deref->getOpcode() == UO_Deref
             ? parameterIn(Deref->getSubExpr())
             : nullptr;
}

bool namesOutPointer(const Expr *E) {
  const ParmVarDecl *P = dereferencedBy(E);
  return P && isOutPointer(P);
}

bool givesOutIfAsked(const Stmt *S, const Expr *Pointer) {
  const auto *If = dyn_cast_or_null<IfStmt>(S);
  const ParmVarDecl *P = parameterIn(Pointer->IgnoreParenImpCasts());
  if (!If || If->getElse() || !P || !isOutPointer(P))
    return false;
  const Stmt *Only = If->getThen();
  if (const auto *Block = dyn_cast<CompoundStmt>(Only))
    Only = Block->size() == 1 ? Block->body_front() : nullptr;
  const auto *Gives = dyn_cast_or_null<BinaryOperator>(Only);
  return Gives && Gives->getOpcode() == BO_Assign &&
         dereferencedBy(Gives->getLHS()) == P;
}

bool isUploaded(const ParmVarDecl *P) {
  if (!isOutPointer(P))
    return false;
  Uses Of(P);
  Of.TraverseStmt(cast<FunctionDecl>(P->getDeclContext())->getBody());
  return Of.Copied != 0 && Of.All == Of.Allocated + Of.Copied;
}

} // namespace spmd::lint::lower
