//===- LowerExpr.cpp - Names, casts, constructions ------------------------===//

#include "Recognisers.h"
#include "Records.h"

#include "cxx/DeclaredClasses.h"
#include "cxx/OwnTensor.h"

#include "spmd/types/AxisAlgebra.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId FunctionLowering::value(const Expr *E) {
  if (!E)
    return SlotId::None;
  E = strip(E);
  if (auto It = Values.find(E); It != Values.end())
    return It->second;
  // `T x(1, 2);` of a T that is not found has a list of no type.
  if (E->getType().isNull())
    return Values[E] = define(DefineFact::Kind::Unknown, nullptr);
  if (E->isTypeDependent() || E->containsErrors())
    return Values[E] = define(DefineFact::Kind::Unknown, E);
  const SlotId S = lowerExpr(E);
  return Values[E] = isa<DeclRefExpr, MemberExpr>(E) ? ofOneRank(S, E) : S;
}

/// The tensor that \p E names, of a type that fits whatever meets it where
/// there is one rank: what no other path has to agree with.
SlotId FunctionLowering::ofOneRank(SlotId Named, const Expr *E) {
  const TypeClass Class = classify(E->getType());
  if (Named == SlotId::None || Current >= OneRank.size() || !OneRank[Current] ||
      (Class != TypeClass::Tensor && Class != TypeClass::TensorList &&
       Class != TypeClass::Buffer))
    return Named;
  emit(BindFact{temporary(), {Named, place(E)}, place(E)});
  return define(DefineFact::Kind::Undefined, E);
}

Operand FunctionLowering::operand(const Expr *E) {
  const SlotId S = value(E);
  return {S, place(strip(E)), E && classify(E->getType()) == TypeClass::Scalar};
}

Operand FunctionLowering::operandOrNone(const Expr *E) {
  if (!E)
    return {};
  const Expr *S = strip(E);
  return isAbsent(S) ? Operand() : operand(S);
}

SlotId FunctionLowering::define(DefineFact::Kind K, const Expr *At,
                                SlotId Comm) {
  const SlotId S = temporary();
  assign(S, At, K, Comm);
  return S;
}

void FunctionLowering::assign(SlotId Dst, const Expr *At, DefineFact::Kind K,
                              SlotId Comm) {
  DefineFact D;
  D.Dst = Dst;
  D.K = K;
  D.At = place(At);
  D.Axis = Comm;
  // On axes that nobody knows a rank may be anything, and a size is a number.
  if (D.isOfAxis() && Comm == SlotId::None)
    D.K = K == DefineFact::Kind::SizeOf ? DefineFact::Kind::Constant
                                        : DefineFact::Kind::Unknown;
  emit(std::move(D));
}

/// \p Dst points to storage that holds nothing yet.
void FunctionLowering::assignNewStorage(SlotId Dst, const Expr *At) {
  if (!F.slot(Dst).Declared)
    return assign(Dst, At, DefineFact::Kind::Undefined);
  const Operand New{define(DefineFact::Kind::Undefined, At), place(At)};
  checkStore(Dst, New, At);
  emit(BindFact{Dst, New, place(At)});
}

SlotId FunctionLowering::defineRank(const Expr *At, SlotId Comm) {
  return define(DefineFact::Kind::RankOf, At, Comm);
}

SlotId FunctionLowering::declaredSize(const NamedDecl *D, const Expr *At) {
  const std::vector<std::string> &Axes = module().sizeAxesOf(D);
  return Axes.empty()
             ? SlotId::None
             : define(DefineFact::Kind::SizeOf, At, defineAxes(At, Axes));
}

SlotId FunctionLowering::defineAxes(const Expr *At,
                                    std::vector<std::string> Names) {
  DefineFact D;
  D.Dst = temporary();
  D.K = DefineFact::Kind::Axes;
  D.At = place(At);
  if (const MeshSpec *Mesh = module().annotations().meshInForce(function()))
    for (const std::string &Name : Names)
      llvm::append_range(D.AxisNames, partsOf(*Mesh, Name));
  else
    D.AxisNames = std::move(Names);
  const SlotId S = D.Dst;
  emit(std::move(D));
  return S;
}

std::optional<std::int64_t> FunctionLowering::constant(const Expr *E) const {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() ||
      !E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  if (!E->EvaluateAsInt(R, M.context()))
    return std::nullopt;
  // An unsigned constant like npos need not fit.
  return R.Val.getInt().tryExtValue();
}

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

SlotId FunctionLowering::lowerExpr(const Expr *E) {
  using K = DefineFact::Kind;
  if (isa<DeclRefExpr, CastExpr, IntegerLiteral>(E) && commKind(E->getType()))
    if (Recognised S = namedCommunicator(*this, E))
      return *S;
  if (const ValueDecl *Number = referredNumber(E))
    if (const SlotId Size = declaredSize(Number, E); Size != SlotId::None)
      return Size;
  if (const auto *X = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *VD = dyn_cast<VarDecl>(X->getDecl())) {
      if (VD->hasGlobalStorage() && VD->getType().isConstQualified() &&
          classify(VD->getType()) == TypeClass::Scalar)
        return define(K::Constant, E);
      return variableSlot(VD);
    }
    if (const auto *B = dyn_cast<BindingDecl>(X->getDecl())) {
      if (const VarDecl *Holding = B->getHoldingVar())
        return variableSlot(Holding);
      return B->getBinding() ? value(B->getBinding()) : define(K::Unknown, E);
    }
    return isa<EnumConstantDecl>(X->getDecl()) ? define(K::Constant, E)
                                               : SlotId::None;
  }
  if (const auto *X = dyn_cast<MemberExpr>(E)) {
    if (const auto *VD = dyn_cast<VarDecl>(X->getMemberDecl()))
      return variableSlot(VD);
    const auto *Field = dyn_cast<FieldDecl>(X->getMemberDecl());
    if (!Field)
      return SlotId::None;
    const SlotId Base = value(X->getBase());
    if (Base == SlotId::None)
      return define(K::Unknown, E);
    // `threadIdx.x`: the same threads run on all ranks.
    if (className(X->getBase()->getType()).find("__cuda_builtin") == 0)
      return define(K::Constant, E);
    if (const OwnMember Own = ownMember(Field); Own != OwnMember::Other)
      return Own == OwnMember::Data ? Base : gradientOf({Base, place(E)}, E);
    const QualType Of = X->getBase()->getType();
    if (isVectorName(className(X->isArrow() ? Of->getPointeeType() : Of)))
      return Base; // one of a few numbers that are loaded together
    if (isNumberOfRecords(X))
      return Base;
    if (className(X->isArrow() ? Of->getPointeeType() : Of) == "std::pair" &&
        isHandle(X->getType()) && isEntry(X->getBase()))
      return entryValue(*this, Base, X->getBase(), E);
    return fieldSlot(Base, Field->getName(), Field);
  }
  // `threadIdx.x` as a property.
  if (const auto *X = dyn_cast<PseudoObjectExpr>(E))
    if (const auto *P = dyn_cast<MSPropertyRefExpr>(X->getSyntacticForm());
        P && className(P->getBaseExpr()->getType()).find("__cuda_builtin") == 0)
      return define(K::Constant, E);
  if (isa<CXXThisExpr>(E)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(FD);
    return Method && Method->getParent()->isLambda()
               ? fieldSlot(thisSlot(), "this")
               : thisSlot();
  }
  if (const auto *X = dyn_cast<IntegerLiteral>(E))
    return define(X->getValue().isZero() ? K::Zero : K::Constant, E);
  if (const auto *X = dyn_cast<FloatingLiteral>(E))
    return define(X->getValue().isZero() ? K::Zero : K::Constant, E);
  if (isa<CharacterLiteral, CXXBoolLiteralExpr, UnaryExprOrTypeTraitExpr,
          SizeOfPackExpr, TypeTraitExpr, OffsetOfExpr>(E))
    return define(K::Constant, E);
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, StringLiteral>(E))
    return SlotId::None;
  if (const auto *X = dyn_cast<CastExpr>(E))
    return lowerCast(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return lowerUnary(X);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return lowerBinary(X);
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E))
    return lowerSubscript(X->getBase(), X->getIdx(), X);
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E)) {
    auto It = Merged.find(X);
    return It != Merged.end() ? It->second : define(K::Unknown, E);
  }
  if (const auto *X = dyn_cast<InitListExpr>(E))
    return lowerInitList(X);
  if (isa<CXXConstructExpr, CallExpr, CXXInheritedCtorInitExpr>(E)) {
    if (const auto *X = dyn_cast<CXXConstructExpr>(E))
      return lowerConstruct(X);
    return isa<CallExpr>(E) ? lowerCall(E) : define(K::Unknown, E);
  }
  if (const auto *X = dyn_cast<LambdaExpr>(E))
    return lowerLambda(X);
  if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(E))
    return define(K::Zero, E);
  if (isa<CXXNewExpr>(E))
    return define(K::Undefined, E);
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E)) {
    // One expression stands for all calls: only constants are the same there.
    if (classify(E->getType()) != TypeClass::Scalar)
      return SlotId::None;
    const std::optional<std::int64_t> N = constant(X->getExpr());
    return define(N && *N == 0 ? K::Zero : K::Constant, E);
  }
  if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
    return value(X->getExpr());
  if (const auto *X = dyn_cast<RecoveryExpr>(E);
      X || E->getType()->isVoidType())
    return SlotId::None;
  return classify(E->getType()) == TypeClass::Untracked ? SlotId::None
                                                        : define(K::Unknown, E);
}

SlotId FunctionLowering::lowerCast(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  if (E->getCastKind() == CK_ToVoid || E->getCastKind() == CK_NullToPointer ||
      E->getCastKind() == CK_FunctionToPointerDecay)
    return value(Sub), SlotId::None;
  const SlotId S = value(Sub);
  // Reading a scalar copies it: what is learnt of the copy, by its use in one
  // expression, says nothing about the variable.
  if (E->getCastKind() == CK_LValueToRValue && S != SlotId::None &&
      classify(E->getType()) == TypeClass::Scalar)
    return emitOp(ScalarRules::get().Copy,
                  {{S, place(strip(Sub)), /*Scalar=*/true}}, E);
  return S;
}

SlotId FunctionLowering::summary(llvm::ArrayRef<const Expr *> Elements,
                                 const Expr *At) {
  const SlotId S = temporary();
  assign(S, At, DefineFact::Kind::Undefined);
  for (const Expr *E : Elements) {
    const Operand V = operandOrNone(E);
    if (V.Slot == SlotId::None)
      continue;
    if (Elements.size() == 1) {
      emit(BindFact{S, V, V.At});
      return S;
    }
    if (isHandle(E->getType()))
      joinList(S, V, E);
    else
      emitOp(ScalarRules::get().Copy, {V}, E, S, /*Partial=*/true);
  }
  return S;
}

/// An own tensor of the buffer among \p Parts, or of new memory.
SlotId FunctionLowering::wrapped(llvm::ArrayRef<const Expr *> Parts,
                                 const Expr *At) {
  SlotId Buffer = SlotId::None;
  for (const Expr *E : Parts) {
    const Operand Part = operandOrNone(E);
    if (Buffer != SlotId::None || Part.Slot == SlotId::None)
      continue;
    if (holdsOwnData(E->getType()))
      Buffer = Part.Slot;
    else if (isVectorName(className(E->getType()))) // its bits
      Buffer = emitOp(ScalarRules::get().Copy, {Part}, E);
  }
  return Buffer == SlotId::None ? define(DefineFact::Kind::Undefined, At)
                                : Buffer;
}

SlotId FunctionLowering::lowerInitList(const InitListExpr *E) {
  if (const InitListExpr *Semantic = E->getSemanticForm())
    E = Semantic;
  const TypeClass Class = classify(E->getType());
  if (E->getNumInits() == 0)
    return define(Class == TypeClass::Scalar ? DefineFact::Kind::Zero
                                             : DefineFact::Kind::Undefined,
                  E);
  const RecordDecl *RD = E->getType()->getAsRecordDecl();
  if (isOwnTensor(E->getType()))
    return wrapped(E->inits(), E);
  if (!RD || Class != TypeClass::Other)
    return summary(E->inits(), E);
  const SlotId S = define(DefineFact::Kind::Undefined, E);
  auto Field = RD->field_begin();
  unsigned I = 0;
  if (const auto *CXX = dyn_cast<CXXRecordDecl>(RD))
    I = CXX->getNumBases();
  for (; I < E->getNumInits() && Field != RD->field_end(); ++I, ++Field) {
    const Operand V = operandOrNone(E->getInit(I));
    if (V.Slot == SlotId::None)
      continue;
    const SlotId Member = fieldSlot(S, Field->getName(), *Field);
    checkStore(Member, V, E->getInit(I));
    if (F.slot(Member).DeclaredAxes.empty())
      emit(BindFact{Member, V, V.At});
  }
  return S;
}

SlotId FunctionLowering::lowerConstruct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *Ctor = E->getConstructor();
  const TypeClass Class = classify(E->getType());
  const unsigned N = E->getNumArgs();
  const bool Own = isOwnTensor(E->getType());
  if (N && Ctor->isCopyOrMoveConstructor() && !E->isElidable() &&
      isVectorName(className(E->getType())))
    return emitOp(ScalarRules::get().Copy, {operand(E->getArg(0))}, E);
  if (N && (Ctor->isCopyOrMoveConstructor() || E->isElidable()))
    return Ctor->isCopyConstructor() && copiesDeeply(E->getType())
               ? emitOp(ScalarRules::get().Copy, {operand(E->getArg(0))}, E)
               : value(E->getArg(0));
  if (N == 0 && Ctor->isTrivial() && Class == TypeClass::Other)
    return define(DefineFact::Kind::Undefined, E);
  if (Own)
    return wrapped(llvm::ArrayRef(E->getArgs(), N), E);
  CallSite C(E);
  if (Recognised R = lowerSpmdCall(*this, C))
    return *R;
  if (Recognised R = lowerTuple(*this, C))
    return *R;
  if (isOptimizer(E->getType()) &&
      (!M.isKnown(Ctor) || !declaredKind(Ctor->getParent()).empty()))
    return lowerOptimizer(*this, llvm::ArrayRef(E->getArgs(), N), E);
  if (Class == TypeClass::Other && M.isKnown(Ctor))
    return lowerKnownCall(C, M.require(Ctor));
  if (Class == TypeClass::Other && M.mayBeElsewhere(Ctor))
    return lowerKnownCall(C, M.requireElsewhere(Ctor));
  for (const Expr *A : E->arguments())
    lendClosure(A, E);
  switch (Class) {
  case TypeClass::Tensor:
  case TypeClass::Scalar:
  case TypeClass::Comm:
  case TypeClass::Buffer: {
    // A wrapper of one value: optional, Scalar, ArrayRef, shared_ptr, View.
    const Operand V = N ? operandOrNone(E->getArg(0)) : Operand();
    if (V.Slot != SlotId::None && Class != TypeClass::Buffer)
      return V.Slot;
    if (V.Slot != SlotId::None &&
        classify(E->getArg(0)->getType()) == TypeClass::Buffer)
      return V.Slot;
    return define(Class == TypeClass::Scalar   ? DefineFact::Kind::Constant
                  : Class == TypeClass::Buffer ? DefineFact::Kind::Zero
                                               : DefineFact::Kind::Undefined,
                  E);
  }
  case TypeClass::TensorList: {
    for (const Expr *A : E->arguments()) {
      const TypeClass Of = classify(A->getType());
      if (Of == TypeClass::TensorList || Of == TypeClass::Tensor)
        return value(A);
    }
    return define(DefineFact::Kind::Undefined, E);
  }
  default:
    break;
  }
  if (className(E->getType()) == "at::indexing::Slice") {
    llvm::SmallVector<Operand, 3> Bounds;
    for (const Expr *A : E->arguments())
      Bounds.push_back(operandOrNone(A));
    static const OpRule Slice = makeRule("slice", OpClass::Nonlinear, 3);
    return emitOp(Slice, Bounds, E);
  }
  if (N == 1 && Class == TypeClass::Other) {
    // Holders and wrappers of user types: shared_ptr<T>(p), TensorIndex(x).
    const TypeClass Of = classify(E->getArg(0)->getType());
    if (Of == TypeClass::Tensor || Of == TypeClass::Other)
      return value(E->getArg(0));
  }
  for (const Expr *A : E->arguments())
    value(A);
  return define(DefineFact::Kind::Unknown, E);
}

/// The closure holds its captures as fields; calls bring it as receiver.
SlotId FunctionLowering::lowerLambda(const LambdaExpr *E) {
  const SlotId Closure = define(DefineFact::Kind::Undefined, E);
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &C : E->captures()) {
    const Expr *I = *Init++;
    if (C.capturesThis()) {
      emit(BindFact{
          fieldSlot(Closure, "this"), {thisSlot(), place(E)}, place(E)});
      continue;
    }
    if (!C.capturesVariable() || !I)
      continue;
    const auto *VD = dyn_cast<VarDecl>(C.getCapturedVar());
    const Operand V = operand(I);
    if (!VD || V.Slot == SlotId::None)
      continue;
    emit(BindFact{fieldSlot(Closure, VD->getName(), nullptr), V, place(E)});
  }
  return Closure;
}

} // namespace spmd::lint::lower
