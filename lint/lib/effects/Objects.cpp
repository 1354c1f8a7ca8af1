//===- Objects.cpp - How objects begin ----------------------------------===//

#include "EffectLowering.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Elements of an array that are known one by one.
static constexpr unsigned MaxElements = 64;

void EffectLowering::initialise(const Expr *Into, const clang::Expr *From) {
  From = From->IgnoreImplicit()->IgnoreParens();
  const QualType T = From->getType();
  if (const auto *List = dyn_cast<InitListExpr>(From)) {
    if (T->isArrayType())
      return initialiseArray(Into, List);
    const auto *RD = T->getAsRecordDecl();
    if (!RD || RD->isUnion())
      return List->getNumInits() == 1 && !RD
                 ? initialise(Into, List->getInit(0))
                 : forget(Into, From->getBeginLoc());
    unsigned I = 0;
    for (const FieldDecl *F : RD->fields())
      if (I < List->getNumInits())
        initialise(field(Into, F->getName()), List->getInit(I++));
    return;
  }
  if (isa<ImplicitValueInitExpr>(From) && T->isScalarType())
    return assign(Into, P.integer(0), From->getBeginLoc());
  if (const auto *C = dyn_cast<CXXConstructExpr>(From))
    return construct(Into, C);
  if (T->isRecordType()) {
    const Expr *Source = place(From);
    Stmt &S = emit(Kind::Copy, From->getBeginLoc());
    S.Target = Into;
    S.Value = Source;
    return;
  }
  if (T->isArrayType())
    return forget(Into, From->getBeginLoc());
  assign(Into, value(From), From->getBeginLoc());
}

void EffectLowering::initialiseArray(const Expr *Into,
                                     const InitListExpr *From) {
  const ConstantArrayType *A = Ctx.getAsConstantArrayType(From->getType());
  if (!A || A->getSize().ugt(MaxElements))
    return forget(Into, From->getBeginLoc());
  for (unsigned I = 0; I != A->getSize().getZExtValue(); ++I) {
    const Expr *At = element(Into, P.integer(I), false);
    if (I < From->getNumInits())
      initialise(At, From->getInit(I));
    else if (A->getElementType()->isScalarType())
      assign(At, P.integer(0), From->getBeginLoc());
  }
}

void EffectLowering::construct(const Expr *Into, const CXXConstructExpr *E) {
  const CXXConstructorDecl *D = E->getConstructor();
  if (D->isCopyOrMoveConstructor() && E->getNumArgs() >= 1) {
    const Expr *From = place(E->getArg(0));
    Stmt &S = emit(Kind::Copy, E->getBeginLoc());
    S.Target = Into;
    S.Value = From;
    S.Moves = D->isMoveConstructor();
    return;
  }
  if (const auto Callee = functionOf(D)) {
    ownCall(CallSite(E), *Callee, P.address(Into));
    return;
  }
  if (const Expr *Held = heldFunction(E))
    return assign(Into, Held, E->getBeginLoc());
  const CallSite C(E);
  if (const rules::CollectiveCall *Api = Cfg.Apis->find(C.Name))
    return assign(Into, P.load(target(event(C, *Api))), E->getBeginLoc());
  if (constructContainer(Into, E) || constructRuntime(Into, E))
    return;
  // What is made of a number alone stands for it.
  if (D->getNumParams() == 1 && E->getNumArgs() == 1 &&
      D->isConvertingConstructor(false) &&
      D->getParamDecl(0)->getType()->isIntegralOrEnumerationType())
    return assign(Into, value(E->getArg(0)), E->getBeginLoc());
  for (const clang::Expr *A : E->arguments())
    value(A);
  if (D->isDefaulted() && E->getNumArgs() == 0)
    if (const CXXRecordDecl *RD = D->getParent())
      for (const FieldDecl *F : RD->fields())
        if (F->hasInClassInitializer() && F->getInClassInitializer())
          initialise(field(Into, F->getName()), F->getInClassInitializer());
  if (!D->isDefaulted() || E->getNumArgs())
    forget(Into, E->getBeginLoc());
}

} // namespace spmd::lint::effects
