//===- LowerExpr.cpp - One expression, by its kind ----------------------===//

#include "LowerExpr.h"

#include "Closures.h"
#include "Elements.h"
#include "LowerCall.h"
#include "LowerConstruct.h"
#include "LowerOperators.h"
#include "LowerParts.h"
#include "LowerPlaces.h"
#include "Recognisers.h"
#include "Records.h"
#include "Stores.h"
#include "Strip.h"
#include "WholeRecords.h"

#include "cxx/OwnTensor.h"

#include "clang/AST/StmtVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The number that \p E names.
static const ValueDecl *referredNumber(const Expr *E) {
  const ValueDecl *D = namedBy(E);
  return isa_and_nonnull<VarDecl, FieldDecl>(D) &&
                 E->getType()->isArithmeticType() && !commKind(E->getType())
             ? D
             : nullptr;
}

namespace {

/// As Clang's own emitters do: a method for each kind of expression. None is
/// for those that are no value, or of a type that is not tracked.
class ExprVisitor : public ConstStmtVisitor<ExprVisitor, SlotId> {
public:
  explicit ExprVisitor(ExprLowering &L) : L(L) {}

  //===--- Names
  //-----------------------------------------------------------===//

  SlotId VisitDeclRefExpr(const DeclRefExpr *E) {
    if (const auto *VD = dyn_cast<VarDecl>(E->getDecl())) {
      if (VD->hasGlobalStorage() && VD->getType().isConstQualified() &&
          classify(VD->getType()) == TypeClass::Scalar)
        return constant(E);
      L.Handed.lose(L, VD, E);
      return L.Slots.variable(VD);
    }
    if (const auto *B = dyn_cast<BindingDecl>(E->getDecl())) {
      if (const VarDecl *Holding = B->getHoldingVar())
        return L.Slots.variable(Holding);
      return B->getBinding() ? L.value(B->getBinding()) : unknown(E);
    }
    return isa<EnumConstantDecl>(E->getDecl()) ? constant(E) : SlotId::None;
  }
  SlotId VisitMemberExpr(const MemberExpr *E);
  SlotId VisitCXXThisExpr(const CXXThisExpr *) {
    const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
    return Method && Method->getParent()->isLambda()
               ? L.Slots.field(L.Slots.self(), "this")
               : L.Slots.self();
  }

  //===--- Numbers
  //---------------------------------------------------------===//

  SlotId VisitIntegerLiteral(const IntegerLiteral *E) {
    return number(E, E->getValue().isZero());
  }
  SlotId VisitFloatingLiteral(const FloatingLiteral *E) {
    return number(E, E->getValue().isZero());
  }
  SlotId VisitCXXDefaultArgExpr(const CXXDefaultArgExpr *E) {
    // One expression stands for all calls: only constants are the same there.
    return classify(E->getType()) == TypeClass::Scalar
               ? number(E, L.constant(handedOver(E->getExpr())) == 0)
               : SlotId::None;
  }
  /// `threadIdx.x` as a property.
  SlotId VisitPseudoObjectExpr(const PseudoObjectExpr *E) {
    const auto *P = dyn_cast<MSPropertyRefExpr>(E->getSyntacticForm());
    return P && isBuiltin(P->getBaseExpr()) ? constant(E) : VisitExpr(E);
  }

  //===--- What is made of others
  //------------------------------------------===//

  SlotId VisitCastExpr(const CastExpr *E);
  SlotId VisitUnaryOperator(const UnaryOperator *E) { return lowerUnary(L, E); }
  SlotId VisitBinaryOperator(const BinaryOperator *E) {
    return lowerBinary(L, E);
  }
  SlotId VisitArraySubscriptExpr(const ArraySubscriptExpr *E) {
    const auto Members = membersAround(L, E);
    const Operand Base = Members.empty() ? L.operand(E->getBase())
                                         : gathered(L, Members, E->getBase());
    if (Base.Slot == SlotId::None)
      return L.value(E->getIdx()), SlotId::None;
    return element(L, Base, E->getIdx(), E);
  }
  SlotId
  VisitAbstractConditionalOperator(const AbstractConditionalOperator *E) {
    const SlotId Merged = L.merged(E);
    return Merged != SlotId::None ? Merged : unknown(E);
  }
  SlotId VisitInitListExpr(const InitListExpr *E) {
    return lowerInitList(L, E);
  }
  SlotId VisitCXXConstructExpr(const CXXConstructExpr *E) {
    return lowerConstruct(L, E);
  }
  SlotId VisitCallExpr(const CallExpr *E) {
    const FilledPlaces While(L, E);
    return lowerCall(L, E);
  }
  SlotId VisitLambdaExpr(const LambdaExpr *E) { return lowerLambda(L, E); }
  SlotId VisitCXXNewExpr(const CXXNewExpr *E) {
    const CXXConstructExpr *Made = E->getConstructExpr();
    return Made && !E->isArray() && isObject(E->getAllocatedType()) &&
                   !isModule(E->getAllocatedType())
               ? L.value(Made)
           : E->isArray() && !E->hasInitializer() &&
                   E->getAllocatedType()->isArithmeticType()
               ? newMemory(L, E)
               : L.define(DefineFact::Kind::Undefined, E);
  }
  SlotId VisitCXXDefaultInitExpr(const CXXDefaultInitExpr *E) {
    return L.value(E->getExpr());
  }
  SlotId VisitExpr(const Expr *E) {
    if (isa<CharacterLiteral, CXXBoolLiteralExpr, UnaryExprOrTypeTraitExpr,
            SizeOfPackExpr, TypeTraitExpr, OffsetOfExpr>(E))
      return constant(E);
    if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(E))
      return number(E, /*IsZero=*/true);
    const bool IsNone =
        isa<CXXNullPtrLiteralExpr, GNUNullExpr, StringLiteral, RecoveryExpr>(
            E) ||
        E->getType()->isVoidType() ||
        classify(E->getType()) == TypeClass::Untracked;
    return IsNone ? SlotId::None : unknown(E);
  }

private:
  SlotId constant(const Expr *E) { return number(E, /*IsZero=*/false); }
  SlotId number(const Expr *E, bool IsZero) {
    return L.define(
        IsZero ? DefineFact::Kind::Zero : DefineFact::Kind::Constant, E);
  }
  SlotId unknown(const Expr *E) {
    return L.define(DefineFact::Kind::Unknown, E);
  }
  /// `threadIdx`: the same threads run on all ranks.
  static bool isBuiltin(const Expr *E) {
    return className(E->getType()).find("__cuda_builtin") == 0;
  }

  ExprLowering &L;
};

} // namespace

SlotId ExprVisitor::VisitMemberExpr(const MemberExpr *E) {
  if (const auto *VD = dyn_cast<VarDecl>(E->getMemberDecl()))
    return L.Slots.variable(VD);
  const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!Field)
    return SlotId::None;
  const SlotId Base = L.value(E->getBase());
  if (Base == SlotId::None)
    return unknown(E);
  if (isBuiltin(E->getBase()))
    return constant(E);
  if (const OwnMember Own = ownMember(Field); Own != OwnMember::Other)
    return Own == OwnMember::Data ? Base : L.gradientOf({Base, L.place(E)}, E);
  const QualType T = E->getBase()->getType();
  const std::string Of = className(E->isArrow() ? T->getPointeeType() : T);
  // One of a few numbers that are loaded together, or of many.
  if (isVectorName(Of) || isNumberOfRecords(E))
    return Base;
  if (Of == "std::pair" && isHandle(E->getType()) && isEntry(E->getBase()))
    return entryValue(L, Base, E->getBase(), E);
  return L.Slots.field(Base, Field->getName(), Field);
}

SlotId ExprVisitor::VisitCastExpr(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  const SlotId S = L.value(Sub);
  if (E->getCastKind() == CK_BitCast && isAllocation(Sub) &&
      classify(E->getType()) == TypeClass::Buffer)
    return newMemory(L, E);
  if (E->getCastKind() == CK_ToVoid || E->getCastKind() == CK_NullToPointer ||
      E->getCastKind() == CK_FunctionToPointerDecay)
    return SlotId::None;
  // Reading a scalar copies it: what is learnt of the copy, by its use in one
  // expression, says nothing about the variable.
  if (E->getCastKind() == CK_LValueToRValue && S != SlotId::None &&
      classify(E->getType()) == TypeClass::Scalar)
    return L.emitOp(ScalarRules::get().Copy,
                    {{S, L.place(strip(Sub)), /*Scalar=*/true}}, E);
  return S;
}

SlotId lowerExpr(ExprLowering &L, const Expr *E) {
  if (isa<DeclRefExpr, CastExpr, IntegerLiteral>(E) && commKind(E->getType()))
    if (Recognised S = namedCommunicator(L, E))
      return *S;
  if (const ValueDecl *Number = referredNumber(E))
    if (const SlotId Size = L.declaredSize(Number, E); Size != SlotId::None)
      return Size;
  if (const SlotId Part = lowerPart(L, E); Part != SlotId::None)
    return Part;
  return ExprVisitor(L).Visit(E);
}

} // namespace spmd::lint::lower
