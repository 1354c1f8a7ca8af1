//===- DeclaredVarying.cpp - What is declared to be other on each rank ----===//
//
// Numbers that each rank has computed from its own data decide for it alone.
// Which axis a communicator is over is not known here, so that only files with
// one axis are looked at. Whole numbers are left out: they may be ranks, of
// which more is known than that they differ.
//
//===----------------------------------------------------------------------===//

#include "EffectLowering.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

bool EffectLowering::varies(const ValueDecl *D) {
  if (OnlyAxis.empty() || !D->hasAttr<AnnotateAttr>())
    return false;
  const auto Says = Annotations.typeOf(D);
  if (!Says)
    return false;
  const rules::TypeSpec &Is =
      Says->Exit && !isa<ParmVarDecl>(D) ? *Says->Exit : Says->Entry;
  const rules::AxisAtom *On = Is.find(OnlyAxis);
  return On && (On->Value.Type == rules::LocalType::V ||
                On->Value.Type == rules::LocalType::P);
}

void EffectLowering::varyIfDeclared(const VarDecl *D) {
  if (D->getType()->isRealFloatingType() && varies(D))
    assign(P.variable(variableOf(D)), P.unknown(Trust::Varying),
           D->getLocation());
}

namespace {

/// Whether all that is done with a variable is to ask it for something.
class OnlyAsked : public RecursiveASTVisitor<OnlyAsked> {
public:
  explicit OnlyAsked(const ValueDecl *Of) : Of(Of) {}
  bool is(const clang::Stmt *Body) {
    TraverseStmt(const_cast<clang::Stmt *>(Body));
    return Mentions == Asks;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions += E->getDecl() == Of;
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(
        E->getImplicitObjectArgument()->IgnoreParenImpCasts());
    const CXXMethodDecl *MD = E->getMethodDecl();
    Asks += Ref && Ref->getDecl() == Of && MD && MD->isConst() &&
            MD->getIdentifier() && !MD->getName().ends_with("_");
    return true;
  }

private:
  const ValueDecl *Of;
  unsigned Mentions = 0, Asks = 0;
};

} // namespace

/// The number in a tensor that each rank has its own of; null: of others.
const EffectLowering::Expr *EffectLowering::itemOfVarying(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !MD->getIdentifier() || MD->getName() != "item" || !C.Receiver ||
      !isTensor(C.Receiver->getType()) ||
      !MD->getReturnType()->isRealFloatingType())
    return nullptr;
  const auto *Ref = dyn_cast<DeclRefExpr>(C.Receiver->IgnoreParenImpCasts());
  if (!Ref || !varies(Ref->getDecl()) ||
      !OnlyAsked(Ref->getDecl()).is(Current->getBody()))
    return nullptr;
  return P.unknown(Trust::Varying);
}

} // namespace spmd::lint::effects
