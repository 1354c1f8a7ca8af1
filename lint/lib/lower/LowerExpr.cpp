//===- LowerExpr.cpp - One expression, by its kind ----------------------===//

#include "LowerExpr.h"

#include "Closures.h"
#include "Elements.h"
#include "LowerCall.h"
#include "LowerConstruct.h"
#include "LowerOperators.h"
#include "Recognisers.h"
#include "Records.h"

#include "cxx/OwnTensor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The number that \p E names.
static const ValueDecl *referredNumber(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *Member = dyn_cast<MemberExpr>(E);
  const ValueDecl *D = Ref      ? Ref->getDecl()
                       : Member ? Member->getMemberDecl()
                                : nullptr;
  return isa_and_nonnull<VarDecl, FieldDecl>(D) &&
                 E->getType()->isArithmeticType() && !commKind(E->getType())
             ? D
             : nullptr;
}

static SlotId lowerCast(ExprLowering &L, const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  if (E->getCastKind() == CK_ToVoid || E->getCastKind() == CK_NullToPointer ||
      E->getCastKind() == CK_FunctionToPointerDecay)
    return L.value(Sub), SlotId::None;
  const SlotId S = L.value(Sub);
  // Reading a scalar copies it: what is learnt of the copy, by its use in one
  // expression, says nothing about the variable.
  if (E->getCastKind() == CK_LValueToRValue && S != SlotId::None &&
      classify(E->getType()) == TypeClass::Scalar)
    return L.emitOp(ScalarRules::get().Copy,
                    {{S, L.place(strip(Sub)), /*Scalar=*/true}}, E);
  return S;
}

static SlotId lowerSubscript(ExprLowering &L, const Expr *Base,
                             const Expr *Index, const Expr *At) {
  const Operand B = L.operand(Base);
  if (B.Slot == SlotId::None)
    return L.value(Index), SlotId::None;
  return element(L, B, Index, At);
}

SlotId lowerExpr(ExprLowering &L, const Expr *E) {
  using K = DefineFact::Kind;
  if (isa<DeclRefExpr, CastExpr, IntegerLiteral>(E) && commKind(E->getType()))
    if (Recognised S = namedCommunicator(L, E))
      return *S;
  if (const ValueDecl *Number = referredNumber(E))
    if (const SlotId Size = L.declaredSize(Number, E); Size != SlotId::None)
      return Size;
  if (const auto *X = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *VD = dyn_cast<VarDecl>(X->getDecl())) {
      if (VD->hasGlobalStorage() && VD->getType().isConstQualified() &&
          classify(VD->getType()) == TypeClass::Scalar)
        return L.define(K::Constant, E);
      return L.Slots.variable(VD);
    }
    if (const auto *B = dyn_cast<BindingDecl>(X->getDecl())) {
      if (const VarDecl *Holding = B->getHoldingVar())
        return L.Slots.variable(Holding);
      return B->getBinding() ? L.value(B->getBinding())
                             : L.define(K::Unknown, E);
    }
    return isa<EnumConstantDecl>(X->getDecl()) ? L.define(K::Constant, E)
                                               : SlotId::None;
  }
  if (const auto *X = dyn_cast<MemberExpr>(E)) {
    if (const auto *VD = dyn_cast<VarDecl>(X->getMemberDecl()))
      return L.Slots.variable(VD);
    const auto *Field = dyn_cast<FieldDecl>(X->getMemberDecl());
    if (!Field)
      return SlotId::None;
    const SlotId Base = L.value(X->getBase());
    if (Base == SlotId::None)
      return L.define(K::Unknown, E);
    // `threadIdx.x`: the same threads run on all ranks.
    if (className(X->getBase()->getType()).find("__cuda_builtin") == 0)
      return L.define(K::Constant, E);
    if (const OwnMember Own = ownMember(Field); Own != OwnMember::Other)
      return Own == OwnMember::Data ? Base
                                    : L.gradientOf({Base, L.place(E)}, E);
    const QualType Of = X->getBase()->getType();
    if (isVectorName(className(X->isArrow() ? Of->getPointeeType() : Of)))
      return Base; // one of a few numbers that are loaded together
    if (isNumberOfRecords(X))
      return Base;
    if (className(X->isArrow() ? Of->getPointeeType() : Of) == "std::pair" &&
        isHandle(X->getType()) && isEntry(X->getBase()))
      return entryValue(L, Base, X->getBase(), E);
    return L.Slots.field(Base, Field->getName(), Field);
  }
  // `threadIdx.x` as a property.
  if (const auto *X = dyn_cast<PseudoObjectExpr>(E))
    if (const auto *P = dyn_cast<MSPropertyRefExpr>(X->getSyntacticForm());
        P && className(P->getBaseExpr()->getType()).find("__cuda_builtin") == 0)
      return L.define(K::Constant, E);
  if (isa<CXXThisExpr>(E)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
    return Method && Method->getParent()->isLambda()
               ? L.Slots.field(L.Slots.self(), "this")
               : L.Slots.self();
  }
  if (const auto *X = dyn_cast<IntegerLiteral>(E))
    return L.define(X->getValue().isZero() ? K::Zero : K::Constant, E);
  if (const auto *X = dyn_cast<FloatingLiteral>(E))
    return L.define(X->getValue().isZero() ? K::Zero : K::Constant, E);
  if (isa<CharacterLiteral, CXXBoolLiteralExpr, UnaryExprOrTypeTraitExpr,
          SizeOfPackExpr, TypeTraitExpr, OffsetOfExpr>(E))
    return L.define(K::Constant, E);
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, StringLiteral>(E))
    return SlotId::None;
  if (const auto *X = dyn_cast<CastExpr>(E))
    return lowerCast(L, X);
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return lowerUnary(L, X);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return lowerBinary(L, X);
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E))
    return lowerSubscript(L, X->getBase(), X->getIdx(), X);
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E)) {
    const SlotId Merged = L.merged(X);
    return Merged != SlotId::None ? Merged : L.define(K::Unknown, E);
  }
  if (const auto *X = dyn_cast<InitListExpr>(E))
    return lowerInitList(L, X);
  if (isa<CXXConstructExpr, CallExpr, CXXInheritedCtorInitExpr>(E)) {
    if (const auto *X = dyn_cast<CXXConstructExpr>(E))
      return lowerConstruct(L, X);
    return isa<CallExpr>(E) ? lowerCall(L, E) : L.define(K::Unknown, E);
  }
  if (const auto *X = dyn_cast<LambdaExpr>(E))
    return lowerLambda(L, X);
  if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(E))
    return L.define(K::Zero, E);
  if (isa<CXXNewExpr>(E))
    return L.define(K::Undefined, E);
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E)) {
    // One expression stands for all calls: only constants are the same there.
    if (classify(E->getType()) != TypeClass::Scalar)
      return SlotId::None;
    const std::optional<std::int64_t> N = L.constant(X->getExpr());
    return L.define(N && *N == 0 ? K::Zero : K::Constant, E);
  }
  if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
    return L.value(X->getExpr());
  if (const auto *X = dyn_cast<RecoveryExpr>(E);
      X || E->getType()->isVoidType())
    return SlotId::None;
  return classify(E->getType()) == TypeClass::Untracked
             ? SlotId::None
             : L.define(K::Unknown, E);
}

} // namespace spmd::lint::lower
