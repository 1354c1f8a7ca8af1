//===- PointerUses.cpp - What a body does to its pointers -----------------===//

#include "PointerUses.h"

#include "CountedLoops.h"
#include "PointerOrigins.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

QualType numberIn(QualType T) {
  T = T.getNonReferenceType();
  return T->isPointerType() ? T->getPointeeType()
         : T->isArrayType() ? QualType(T->getArrayElementTypeNoTypeQual(), 0)
         : isStdClass(T, "vector") ? elementType(T)
                                   : QualType();
}

/// A pointer to numbers, or an array or vector of some, of which nothing is
/// declared.
static bool isBuffer(const VarDecl *VD) {
  const QualType Of =
      VD->getType()->isDependentType() ? QualType() : numberIn(VD->getType());
  return VD->isLocalVarDeclOrParm() && !VD->isStaticLocal() && !Of.isNull() &&
         !Of->isPointerType() && !Of->isArrayType() && !Of->isRecordType() &&
         !VD->hasAttr<AnnotateAttr>() &&
         classify(VD->getType().getNonReferenceType()) == TypeClass::Buffer;
}

const VarDecl *bufferAt(const Expr *E) {
  const VarDecl *VD = variableOf(E);
  return VD && isBuffer(VD) ? VD : nullptr;
}

const VarDecl *vectorOf(const Expr *E) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  const VarDecl *VD =
      Method && Method->getIdentifier() && Method->getName() == "data"
          ? bufferAt(Call->getImplicitObjectArgument())
          : nullptr;
  return VD && !VD->getType()->isPointerType() ? VD : nullptr;
}

bool PointerUses::TraverseLambdaExpr(LambdaExpr *E) {
  for (const LambdaCapture &C : E->captures())
    if (C.capturesVariable())
      if (const auto *VD = dyn_cast<VarDecl>(C.getCapturedVar()))
        Other.insert(VD);
  return true;
}

bool PointerUses::VisitVarDecl(VarDecl *VD) {
  if (VD->getInit() && isBuffer(VD) && VD->getType()->isPointerType())
    set(VD, VD->getInit());
  return true;
}

bool PointerUses::VisitBinaryOperator(BinaryOperator *E) {
  if (E->isAssignmentOp()) {
    if (const VarDecl *VD = bufferAt(E->getLHS()))
      set(VD, E->getOpcode() == BO_Assign ? E->getRHS() : nullptr);
  } else if (E->isAdditiveOp() && E->getType()->isPointerType()) {
    Sums.push_back(E);
  }
  return true;
}

bool PointerUses::VisitUnaryOperator(UnaryOperator *E) {
  const VarDecl *VD = bufferAt(E->getSubExpr());
  if (VD && VD->getType()->isPointerType() &&
      (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf))
    ++Of[VD].Sets;
  if (E->getOpcode() == UO_AddrOf &&
      isa<ArraySubscriptExpr, CXXOperatorCallExpr>(
          E->getSubExpr()->IgnoreParens()))
    Sums.push_back(E);
  return true;
}

bool PointerUses::VisitCallExpr(CallExpr *E) {
  Calls.push_back(E);
  for (const Expr *A : E->arguments())
    if (const Expr *To = addressed(A))
      if (const VarDecl *VD = bufferAt(To))
        Of[VD].Allocation = E;
  return true;
}

bool PointerUses::VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
  const CXXMethodDecl *Method = E->getMethodDecl();
  const VarDecl *VD = Method && Method->getIdentifier()
                          ? bufferAt(E->getImplicitObjectArgument())
                          : nullptr;
  if (VD && !llvm::StringSwitch<bool>(Method->getName())
                 .Cases({"data", "size", "begin", "end", "empty", "at"}, true)
                 .Default(false))
    Other.insert(VD);
  return true;
}

bool PointerUses::VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
  Elements.push_back(E);
  return true;
}

bool PointerUses::VisitForStmt(ForStmt *S) {
  if (const auto Loop = countedLoop(S); Loop && Loop->Bound)
    BoundOf[Loop->Counter] = Loop->Bound;
  return true;
}

void PointerUses::set(const VarDecl *VD, const Expr *Value) {
  // It points nowhere before.
  if (Value && Value->isNullPointerConstant(VD->getASTContext(),
                                            Expr::NPC_ValueDependentIsNotNull))
    return;
  Pointer &P = Of[VD];
  ++P.Sets;
  P.Value = Value;
}

} // namespace spmd::lint::lower
