//===- LowerOperators.cpp - Arithmetic, pointers, stores ------------------===//

#include "Recognisers.h"
#include "Records.h"

#include "cxx/OwnTensor.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId FunctionLowering::emitOp(const OpRule &Rule,
                                llvm::ArrayRef<Operand> Operands,
                                const Expr *At, SlotId WritesTo, bool Partial,
                                llvm::ArrayRef<OpArgument> Arguments) {
  OpFact O;
  O.Rule = &Rule;
  O.At = place(At);
  O.WritesTo = WritesTo;
  O.PartialWrite = Partial;
  O.Arguments = Arguments.vec();
  for (unsigned I = 0; I != Operands.size() && I != Rule.Formals.size(); ++I)
    if (Operands[I].Slot != SlotId::None) {
      O.Operands.push_back(Operands[I]);
      O.FormalOf.push_back(I);
    }
  O.Dst = temporary();
  const SlotId Dst = O.Dst;
  emit(std::move(O));
  return Dst;
}

const OpRule *FunctionLowering::scalarRule(BinaryOperatorKind K) const {
  const ScalarRules &R = ScalarRules::get();
  switch (K) {
  case BO_Add:
  case BO_AddAssign:
    return &R.Add;
  case BO_Sub:
  case BO_SubAssign:
    return &R.Sub;
  case BO_Mul:
  case BO_MulAssign:
    return &R.Mul;
  case BO_Div:
  case BO_DivAssign:
    return &R.Div;
  case BO_EQ:
    return &R.Equal;
  case BO_NE:
    return &R.Unequal;
  case BO_LT:
  case BO_GT:
  case BO_LE:
  case BO_GE:
  case BO_LAnd:
  case BO_LOr:
    return &R.Compare;
  default:
    return &R.Math;
  }
}

SlotId FunctionLowering::lowerUnary(const UnaryOperator *E) {
  const ScalarRules &R = ScalarRules::get();
  const Operand Sub = operand(E->getSubExpr());
  if (Sub.Slot == SlotId::None)
    return SlotId::None;
  const bool Scalar = classify(E->getType()) == TypeClass::Scalar;
  switch (E->getOpcode()) {
  case UO_Deref:
  case UO_AddrOf:
  case UO_Plus:
  case UO_Extension:
  case UO_Real:
  case UO_Imag:
    return Sub.Slot;
  case UO_Minus:
    return emitOp(R.Neg, {Sub}, E);
  case UO_LNot:
    if (E->getSubExpr()->IgnoreParenImpCasts()->getType()->isPointerType())
      return define(DefineFact::Kind::Constant, E);
    return emitOp(R.Not, {Sub}, E);
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec: {
    // A pointer that walks its buffer stays in it.
    if (!Scalar)
      return Sub.Slot;
    const SlotId One = define(DefineFact::Kind::Constant, E);
    SlotId Old = SlotId::None;
    if (E->isPostfix())
      Old = emitOp(R.Copy, {Sub}, E);
    const SlotId New =
        emitOp(R.Add, {Sub, {One, Sub.At, /*Scalar=*/true}}, E, Sub.Slot);
    return E->isPostfix() ? Old : New;
  }
  default:
    return emitOp(R.Math, {Sub}, E);
  }
}

SlotId FunctionLowering::lowerSubscript(const Expr *Base, const Expr *Index,
                                        const Expr *At) {
  const Operand B = operand(Base);
  if (B.Slot == SlotId::None)
    return value(Index), SlotId::None;
  return element(B, Index, At);
}

/// Whether a loop counts \p Index: then all elements have their turn.
bool FunctionLowering::isCounted(const Expr *Index) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Index->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && !constancy().isConstant(VD);
}

/// An element of an array, a buffer or a list; the first or the last one where
/// there is no \p Index.
SlotId FunctionLowering::element(Operand Of, const Expr *Index,
                                 const Expr *At) {
  if (const SlotId Single = singleElement(At); Single != SlotId::None)
    return value(Index), Single;
  if (const SlotId Own = eachElement(At); Own != SlotId::None)
    return value(Index), Own;
  ViewFact V;
  V.Dst = temporary();
  V.Src = Of;
  V.At = place(At);
  const bool Number = Index && classify(Index->getType()) == TypeClass::Scalar;
  if (Number)
    V.Offset = operand(Index);
  else if (Index)
    value(Index);
  const bool IsHandle =
      isHandle(At->getType()) && !(Number && isCounted(Index));
  V.K = IsHandle ? ViewFact::Kind::Handle : ViewFact::Kind::Element;
  if (!Number && !IsHandle)
    return Of.Slot;
  const SlotId Dst = V.Dst;
  emit(V);
  return Dst;
}

void FunctionLowering::joinList(SlotId List, Operand Value, const Expr *At) {
  BindFact B;
  B.Dst = List;
  B.Src = Value;
  B.At = place(At);
  B.Joins = true;
  emit(B);
}

/// A pointer \p Offset numbers behind \p From. One that takes its turn with
/// others, row by row or thread by thread, is to an element.
SlotId FunctionLowering::movePointer(Operand From, const Expr *Offset,
                                     SlotId To, const Expr *At) {
  if (!Stepped)
    Stepped.emplace(FD);
  ViewFact V;
  V.Dst = To;
  V.Src = From;
  V.Offset = operand(Offset);
  if (Stepped->isIn(Offset))
    V.K = ViewFact::Kind::Element;
  V.At = place(At);
  emit(V);
  return To;
}

SlotId FunctionLowering::lowerBinary(const BinaryOperator *E) {
  const Expr *L = E->getLHS(), *R = E->getRHS();
  if (E->getOpcode() == BO_Comma)
    return value(L), value(R);
  if (E->getOpcode() == BO_Assign)
    return lowerAssign(L, R, E);
  if (E->isPtrMemOp())
    return define(DefineFact::Kind::Unknown, E);
  const Operand Lhs = operand(L), Rhs = operand(R);
  const bool PointerL = L->getType()->isPointerType(),
             PointerR = R->getType()->isPointerType();
  if (E->isAdditiveOp() && PointerL != PointerR) {
    const Operand From = PointerL ? Lhs : Rhs;
    return From.Slot == SlotId::None
               ? SlotId::None
               : movePointer(From, PointerL ? R : L, temporary(), E);
  }
  if (PointerL || PointerR) {
    // `p += n` on a variable: the same walk as `p = p + n`.
    if (E->isCompoundAssignmentOp() && Lhs.Slot != SlotId::None)
      return movePointer(Lhs, R, Lhs.Slot, E);
    return define(DefineFact::Kind::Constant, E);
  }
  return lowerArithmetic(E->getOpcode(), L, Lhs, Rhs, E);
}

SlotId FunctionLowering::lowerArithmetic(BinaryOperatorKind K, const Expr *Left,
                                         Operand Lhs, Operand Rhs,
                                         const Expr *At) {
  const OpRule *Rule = scalarRule(K);
  if (!BinaryOperator::isCompoundAssignmentOp(K))
    return emitOp(*Rule, {Lhs, Rhs}, At);
  const SlotId Old = emitOp(ScalarRules::get().Copy, {Lhs}, Left);
  const SlotId New = emitOp(*Rule, {{Old, Lhs.At, Lhs.Scalar}, Rhs}, At);
  store(Left, {New, place(At), Lhs.Scalar}, At);
  return Lhs.Slot;
}

/// True for `p[0]` and `v.x`: such a store leaves the others as they were.
static bool storesOneElement(const FunctionLowering &L, const Expr *Target) {
  if (const auto *M = dyn_cast<MemberExpr>(Target))
    return isVectorName(className(M->getBase()->getType())) ||
           isNumberOfRecords(M);
  const auto *S = dyn_cast<ArraySubscriptExpr>(Target);
  return S && L.constant(S->getIdx());
}

void FunctionLowering::store(const Expr *Target, Operand V, const Expr *At) {
  const Expr *T = strip(Target);
  const SlotId Dst = value(T);
  if (Dst == SlotId::None || V.Slot == SlotId::None)
    return;
  // The declaration that promises what the storage holds: the variable itself
  // or the buffer below the subscripts.
  const Expr *Root = T;
  while (true) {
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(Root))
      Root = S->getBase()->IgnoreParenImpCasts();
    else if (const auto *U = dyn_cast<UnaryOperator>(Root);
             U && U->getOpcode() == UO_Deref)
      Root = U->getSubExpr()->IgnoreParenImpCasts();
    else
      break;
  }
  // An exit type says what a buffer holds at the end, not before.
  const SlotId RootSlot = value(Root);
  if (RootSlot != SlotId::None && isa<DeclRefExpr, MemberExpr>(Root) &&
      !(F.slot(RootSlot).Declared && F.slot(RootSlot).Declared->Exit))
    checkStore(RootSlot, V, At, /*IsElement=*/Root != T);
  emitOp(ScalarRules::get().Copy, {V}, At, Dst, storesOneElement(*this, T));
}

/// `list[i]`, not a part of a tensor.
static bool isElement(const Expr *E) {
  if (isa<ArraySubscriptExpr>(E))
    return true;
  if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
    return false;
  const CallSite C(E);
  return C.Receiver && !isTensor(C.Receiver->getType()) &&
         (C.base() == "operator[]" || C.base() == "at" || C.base() == "front" ||
          C.base() == "back");
}

SlotId FunctionLowering::lowerAssign(const Expr *Target, const Expr *Value,
                                     const Expr *At) {
  const Expr *T = strip(Target);
  const TypeClass Class = classify(T->getType());
  Operand V = operandOrNone(Value);
  if (V.Slot != SlotId::None && Value->isLValue() && copiesDeeply(T->getType()))
    V.Slot = emitOp(ScalarRules::get().Copy, {V}, At);
  // std::tie(a, b) = f(x): each takes the element, or all that is known.
  if (isa<CallExpr>(T))
    if (const CallSite Tie(T); Tie.Name == "std::tie") {
      for (unsigned I = 0; I != Tie.Arguments.size(); ++I) {
        const SlotId Dst = value(Tie.Arguments[I]);
        if (Dst == SlotId::None || V.Slot == SlotId::None)
          continue;
        SlotId Element = findField(V.Slot, std::to_string(I));
        // What is learnt of one element says nothing about the others.
        if (Element == SlotId::None)
          Element = emitOp(ScalarRules::get().Copy, {V}, At);
        const Operand From{Element, V.At};
        checkStore(Dst, From, At);
        emit(BindFact{Dst, From, place(At)});
      }
      return V.Slot;
    }
  if (const auto *ME = dyn_cast<MemberExpr>(T))
    FieldValues[{value(ME->getBase()),
                 ME->getMemberDecl()->getNameAsString()}] = Value;
  if (Class == TypeClass::Scalar) {
    store(T, V, At);
    return value(T);
  }
  const bool Named =
      isa<DeclRefExpr, MemberExpr>(T) || singleElement(T) != SlotId::None;
  if (Named) {
    const SlotId Dst = value(T);
    if (Dst == SlotId::None)
      return V.Slot;
    if (V.Slot == SlotId::None) {
      if (Class != TypeClass::Comm)
        assign(Dst, At, DefineFact::Kind::Undefined);
      return Dst;
    }
    // What a tensor passed by value is declared to be, it is at the entry.
    const Slot &S = F.slot(Dst);
    if (S.Kind != SlotKind::Parameter || S.ByReference ||
        classify(Target->getType()) == TypeClass::Buffer)
      checkStore(Dst, V, At);
    if (!F.slot(Dst).DeclaredAxes.empty())
      return Dst;
    // A local reference names an element of something: that is written too.
    const auto *Ref = dyn_cast<DeclRefExpr>(T);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (VD && VD->getType()->isReferenceType() && !isa<ParmVarDecl>(VD))
      emitOp(ScalarRules::get().Copy, {V}, At, Dst, /*Partial=*/true);
    emit(
        BindFact{Dst, V, place(At),
                 T->getType()->isPointerType() && refers(T->getType(), Value)});
    if (makesModule(Value))
      drawParameters(*this, Dst, Value);
    return Dst;
  }
  // `a[i] = b` on a tensor or a list, `x.slice(…) = b`.
  bool Partial = false;
  const Expr *Object = viewedObject(T, Partial);
  const SlotId Dst = value(Object);
  if (Dst == SlotId::None || V.Slot == SlotId::None)
    return Dst;
  if (isa<DeclRefExpr, MemberExpr>(strip(Object)))
    checkStore(Dst, V, At);
  // Handles in a list are replaced one by one; `*p = x` is all of p.
  if (isElement(T) && isHandle(T->getType())) {
    joinList(Dst, V, At);
    return Dst;
  }
  const auto *Deref = dyn_cast<UnaryOperator>(T);
  emitOp(ScalarRules::get().Copy, {V}, At, Dst, !Deref);
  return Dst;
}

const Expr *FunctionLowering::viewedObject(const Expr *E, bool &Partial) {
  while (true) {
    E = strip(E);
    if (singles().find(E))
      return E;
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Partial = true;
      E = S->getBase()->IgnoreParenImpCasts();
      continue;
    }
    if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
      return E;
    const CallSite C(E);
    if (!C.Receiver || !C.Callee)
      return E;
    const bool List = classify(C.Receiver->getType()) == TypeClass::TensorList;
    const TypeClass Result = classify(E->getType());
    if ((!isTensor(C.Receiver->getType()) && !List) ||
        (Result != TypeClass::Tensor && Result != TypeClass::TensorList))
      return E;
    const int Kind = llvm::StringSwitch<int>(C.base())
                         .Cases({"view", "reshape", "transpose", "t",
                                 "unsqueeze", "squeeze", "flatten", "view_as",
                                 "permute", "detach", "data", "variable_data"},
                                1)
                         .Cases({"narrow", "slice", "select", "operator[]",
                                 "index", "chunk", "split", "diagonal", "at"},
                                2)
                         .Default(0);
    if (Kind == 0)
      return E;
    if (Kind == 2)
      Partial = true;
    E = C.Receiver;
  }
}

llvm::SmallVector<SlotId, 2> FunctionLowering::namesOf(const Expr *E) {
  const auto Named = [this](const Expr *X) {
    X = X->IgnoreParenImpCasts();
    return isa<DeclRefExpr, MemberExpr>(X) ? value(X) : SlotId::None;
  };
  const SlotId S = Named(E);
  if (S == SlotId::None)
    return {};
  llvm::SmallVector<SlotId, 2> Out{S};
  for (const auto &[Field, Value] : FieldValues)
    if (Named(Value) == S)
      if (const SlotId F = findField(Field.first, Field.second);
          F != SlotId::None)
        Out.push_back(F);
  return Out;
}

const Constancy &FunctionLowering::constancy() {
  if (!Constant)
    Constant.emplace(FD);
  return *Constant;
}

void FunctionLowering::noteSized(const Expr *Tensor) {
  const Expr *E = strip(Tensor);
  const ValueDecl *D = nullptr;
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    D = X->getDecl();
  else if (const auto *X = dyn_cast<MemberExpr>(E))
    D = X->getMemberDecl();
  if (!D || constancy().isConstant(D))
    return;
  const SlotId S = value(E);
  if (S == SlotId::None)
    return;
  BindFact B;
  B.Dst = Sized[E] = temporary();
  B.Src.Slot = S;
  B.At = place(E);
  emit(B);
}

SlotId FunctionLowering::sizedTensor(const Expr *Tensor) const {
  const Expr *E = strip(Tensor);
  if (auto It = Sized.find(E); It != Sized.end())
    return It->second;
  auto It = Values.find(E);
  return It == Values.end() ? SlotId::None : It->second;
}

const Expr *FunctionLowering::lastFieldValue(const Expr *Object,
                                             llvm::StringRef Field) const {
  auto It = Values.find(strip(Object));
  if (It == Values.end())
    return nullptr;
  auto F = FieldValues.find({It->second, Field.str()});
  return F == FieldValues.end() ? nullptr : F->second;
}

} // namespace spmd::lint::lower
