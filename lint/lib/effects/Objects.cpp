//===- Objects.cpp - How objects begin ----------------------------------===//

#include "Objects.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Elements of an array that are known one by one.
static constexpr unsigned MaxElements = 64;

void Objects::initialise(const Expr *Into, const clang::Expr *Init) {
  const clang::Expr *From = Init->IgnoreImplicit()->IgnoreParens();
  const QualType T = From->getType();
  if (T.isNull()) // Clang could make nothing of it, as a header is missing
    return Out.forget(Into, From->getBeginLoc());
  if (const auto *List = dyn_cast<InitListExpr>(From)) {
    if (T->isArrayType())
      return array(Into, List);
    if (T->isRecordType())
      return record(Into, List);
    return List->getNumInits() == 1 ? initialise(Into, List->getInit(0))
                                    : Out.forget(Into, From->getBeginLoc());
  }
  if (isa<ImplicitValueInitExpr>(From) && T->isScalarType())
    return Out.assign(Into, P.integer(0), From->getBeginLoc());
  if (const auto *C = dyn_cast<CXXConstructExpr>(From))
    return construct(Into, C);
  if (T->isRecordType())
    return Out.copy(Into, Exprs.place(From), From->getBeginLoc());
  if (T->isArrayType())
    return Out.forget(Into, From->getBeginLoc());
  Out.assign(Into, Exprs.value(Init), From->getBeginLoc());
}

void Objects::record(const Expr *Into, const InitListExpr *From) {
  const auto *RD = From->getType()->getAsRecordDecl();
  if (RD->isUnion())
    return Out.forget(Into, From->getBeginLoc());
  unsigned I = 0;
  for (const FieldDecl *F : RD->fields())
    if (I < From->getNumInits())
      initialise(P.field(Into, F->getName()), From->getInit(I++));
}

void Objects::array(const Expr *Into, const InitListExpr *From) {
  const ConstantArrayType *A = Ctx.getAsConstantArrayType(From->getType());
  if (!A || A->getSize().ugt(MaxElements))
    return Out.forget(Into, From->getBeginLoc());
  for (unsigned I = 0; I != A->getSize().getZExtValue(); ++I) {
    const Expr *At = P.element(Into, P.integer(I), false);
    if (I < From->getNumInits())
      initialise(At, From->getInit(I));
    else if (A->getElementType()->isScalarType())
      Out.assign(At, P.integer(0), From->getBeginLoc());
  }
}

/// A smart pointer to what another one points to, as a base perhaps, or to a
/// communicator on the heap.
bool Objects::pointer(const Expr *Into, const CXXConstructExpr *E) {
  if (!isSmartPointer(E->getType()))
    return false;
  if (E->getNumArgs() == 0) {
    Out.assign(Into, P.integer(0), E->getBeginLoc());
    return true;
  }
  const clang::Expr *From = E->getArg(0);
  if (isSmartPointer(From->getType())) {
    Out.copy(Into, Exprs.place(From), E->getBeginLoc(), From->isXValue());
    return true;
  }
  const auto *New = dyn_cast<CXXNewExpr>(From->IgnoreParenImpCasts());
  if (!New || !commKind(E->getType()))
    return false;
  Out.assign(Into, P.load(P.target(Exprs.value(New))), E->getBeginLoc());
  return true;
}

bool Objects::make(const Expr *Into, QualType Made, const CallSite &C) {
  if (Known.make(Into, Made, C))
    return true;
  const CXXRecordDecl *RD = Made->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition() || !RD->isPolymorphic() ||
      !RD->hasDefaultConstructor() || RD->hasUserProvidedDefaultConstructor() ||
      !C.Arguments.empty())
    return false;
  byDefault(Into, RD->getDefinition(), C.Call->getBeginLoc());
  return true;
}

void Objects::construct(const Expr *Into, const CXXConstructExpr *E) {
  const CXXConstructorDecl *D = E->getConstructor();
  if (D->isCopyOrMoveConstructor() && E->getNumArgs() >= 1)
    return Out.copy(Into, Exprs.place(E->getArg(0)), E->getBeginLoc(),
                    D->isMoveConstructor());
  if (Known.construct(Into, E) || pointer(Into, E))
    return;
  // What is made of a number alone stands for it.
  if (D->getNumParams() == 1 && E->getNumArgs() == 1 &&
      D->isConvertingConstructor(false) &&
      D->getParamDecl(0)->getType()->isIntegralOrEnumerationType())
    return Out.assign(Into, Exprs.value(E->getArg(0)), E->getBeginLoc());
  for (const clang::Expr *A : E->arguments())
    Exprs.value(A);
  if (D->isDefaulted() && E->getNumArgs() == 0)
    byDefault(Into, D->getParent(), E->getBeginLoc());
  else
    Out.forget(Into, E->getBeginLoc());
}

void Objects::byDefault(const Expr *Into, const CXXRecordDecl *RD,
                        SourceLocation At) {
  for (const FieldDecl *F : RD->fields())
    if (F->hasInClassInitializer() && F->getInClassInitializer())
      initialise(P.field(Into, F->getName()), F->getInClassInitializer());
  Known.holdMethods(Into, RD, At);
}

} // namespace spmd::lint::effects
