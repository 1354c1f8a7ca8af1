//===- Stores.cpp - What assignments write ------------------------------===//

#include "Stores.h"

#include "Contracts.h"
#include "Elements.h"
#include "LowerParts.h"
#include "OutPointers.h"
#include "Recognisers.h"
#include "Records.h"
#include "UnknownCode.h"
#include "WholeRecords.h"

#include "cxx/OwnTensor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Whether \p E names a variable or member itself, or points to one: not an
/// element of something, of which there may be others.
static bool isNamedObject(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (E->getType()->isArrayType())
    return false;
  if (const auto *X = dyn_cast<MemberExpr>(E))
    return isNamedObject(X->getBase());
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return (X->getOpcode() == UO_AddrOf || X->getOpcode() == UO_Deref) &&
           isNamedObject(X->getSubExpr());
  return isa<DeclRefExpr, CXXThisExpr>(E);
}

bool refers(QualType T, const Expr *Init) {
  return (T->isReferenceType() || T->isPointerType()) &&
         classify(T) == TypeClass::Other && isNamedObject(Init);
}

static void defineMemory(ExprLowering &L, SlotId Dst, const Expr *At) {
  DefineFact D;
  D.Dst = Dst;
  D.K = DefineFact::Kind::Declared;
  D.Type = std::make_shared<TypeSpec>();
  D.At = L.place(At);
  L.emit(std::move(D));
}

SlotId newMemory(ExprLowering &L, const Expr *At) {
  const SlotId S = L.temporary();
  defineMemory(L, S, At);
  return S;
}

bool isAllocation(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(strip(E));
  const FunctionDecl *FD = Call ? Call->getDirectCallee() : nullptr;
  return FD && FD->getIdentifier() && !isa<CXXMethodDecl>(FD) &&
         (FD->getName() == "malloc" || FD->getName() == "aligned_alloc");
}

void assignNewStorage(ExprLowering &L, SlotId Dst, const Expr *At,
                      bool Numbers) {
  if (!L.slot(Dst).Declared)
    return Numbers ? defineMemory(L, Dst, At)
                   : L.assign(Dst, At, DefineFact::Kind::Undefined);
  const Operand New{L.define(DefineFact::Kind::Undefined, At), L.place(At)};
  checkStore(L, Dst, New, At);
  L.emit(BindFact{Dst, New, L.place(At)});
}

/// True for `p[0]` and `v.x`: such a store leaves the others as they were.
static bool storesOneElement(const ExprLowering &L, const Expr *Target) {
  if (const auto *M = dyn_cast<MemberExpr>(Target))
    return isVectorName(className(M->getBase()->getType())) ||
           isNumberOfRecords(M);
  const auto *S = dyn_cast<ArraySubscriptExpr>(Target);
  return S && L.constant(S->getIdx());
}

/// `p[i]` of `p`.
static bool isElementOf(const Expr *E, const Expr *Buffer) {
  const auto *S = dyn_cast<ArraySubscriptExpr>(E);
  return S && S->getBase()->IgnoreParenImpCasts() == Buffer;
}

/// A number stored in one of \p Members, each of which the place \p Target may
/// be in.
static void storeInOneOf(ExprLowering &L, llvm::ArrayRef<SlotId> Members,
                         const ArraySubscriptExpr *Target, Operand V,
                         const Expr *At) {
  for (const SlotId Member : Members) {
    const SlotId Place = element(L, {Member, L.place(Target->getBase())},
                                 Target->getIdx(), Target);
    checkStore(L, Member, V, At, Place);
    L.emitOp(ScalarRules::get().Copy, {V}, At, Place,
             storesOneElement(L, Target));
  }
}

void store(ExprLowering &L, const Expr *Target, Operand V, const Expr *At,
           llvm::ArrayRef<OpArgument> Arguments) {
  if (V.Slot != SlotId::None)
    scatter(L, V, membersOfWhole(L, Target), At);
  const Expr *T = strip(Target);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(T);
      Element && V.Slot != SlotId::None)
    if (const auto Members = membersAround(L, Element); !Members.empty())
      return storeInOneOf(L, Members, Element, V, At);
  const SlotId Dst = L.value(T);
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
  const SlotId RootSlot = L.value(Root);
  if (RootSlot != SlotId::None && isa<DeclRefExpr, MemberExpr>(Root) &&
      !(L.slot(RootSlot).Declared && L.slot(RootSlot).Declared->Exit))
    Root == T
        ? checkStore(L, RootSlot, T->getType(), V, At)
        : checkStore(L, RootSlot, V, At, isElementOf(T, Root) ? Dst : RootSlot);
  L.emitOp(ScalarRules::get().Copy, {V}, At, Dst, storesOneElement(L, T),
           Arguments);
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

/// `layers[0] = make_dense()`: what the struct has, one of the elements has.
static bool isObjectOf(ExprLowering &L, QualType Element) {
  return Element->isPointerType() &&
         L.module().isOwnStruct(Element->getPointeeType());
}

/// std::tie(a, b) = f(x): each takes the element, or all that is known.
static void assignTied(ExprLowering &L, const CallSite &Tie, Operand V,
                       const Expr *Value, const Expr *At) {
  for (unsigned I = 0; I != Tie.Arguments.size(); ++I) {
    const SlotId Dst = L.value(Tie.Arguments[I]);
    if (Dst == SlotId::None || V.Slot == SlotId::None)
      continue;
    SlotId Element =
        L.Slots.findField(V.Slot, tupleMember(Value->getType(), I));
    // What is learnt of one element says nothing about the others.
    if (Element == SlotId::None)
      Element = L.emitOp(ScalarRules::get().Copy, {V}, At);
    const Operand From{Element, V.At};
    checkStore(L, Dst, From, At);
    L.emit(BindFact{Dst, From, L.place(At)});
  }
}

/// `q = b` where \p Ref is `auto &q = list[i]`: the list has another element.
static void assignElement(ExprLowering &L, const VarDecl *Ref, Operand V,
                          const Expr *At) {
  const Expr *Named = Ref->getInit() ? strip(Ref->getInit()) : nullptr;
  if (!Named || !isHandle(Ref->getType()) || !isElement(Named) ||
      eachElement(L, Named) != SlotId::None)
    return;
  const Expr *List = strip(viewedObject(L, Named).Object);
  if (!isa<DeclRefExpr, MemberExpr>(List))
    return;
  if (const SlotId Dst = L.value(List); Dst != SlotId::None) {
    checkStore(L, L.Lists.listOf(Dst), V, At);
    L.joinList(Dst, V, At);
  }
}

/// `x = b`, `m.x = b`.
static SlotId assignName(ExprLowering &L, const Expr *Target, Operand V,
                         const Expr *Value, const Expr *At) {
  const Expr *T = strip(Target);
  const TypeClass Class = classify(T->getType());
  const SlotId Dst = L.value(T);
  if (Dst == SlotId::None)
    return V.Slot;
  if (V.Slot == SlotId::None) {
    if (Class != TypeClass::Comm)
      L.assign(Dst, At, DefineFact::Kind::Undefined);
    return Dst;
  }
  // What a tensor passed by value is declared to be, it is at the entry.
  const Slot &S = L.slot(Dst);
  if (S.Kind != SlotKind::Parameter || S.ByReference ||
      classify(Target->getType()) == TypeClass::Buffer)
    checkStore(L, Dst, T->getType(), V, At);
  if (!L.slot(Dst).DeclaredAxes.empty())
    return Dst;
  // A local reference names an element of something: that is written too.
  const auto *Ref = dyn_cast<DeclRefExpr>(T);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (VD && VD->getType()->isReferenceType() && !isa<ParmVarDecl>(VD)) {
    assignElement(L, VD, V, At);
    L.emitOp(ScalarRules::get().Copy, {V}, At, Dst, /*Partial=*/true);
  }
  L.emit(
      BindFact{Dst, V, L.place(At),
               T->getType()->isPointerType() && refers(T->getType(), Value)});
  if (makesModule(Value))
    drawParameters(L, Dst, Value->getType(), Value);
  return Dst;
}

/// `a[i] = b` on a tensor or a list, `x.slice(…) = b`.
static SlotId assignPart(ExprLowering &L, const Expr *T, Operand V,
                         const Expr *At) {
  const Viewed Of = viewedObject(L, T);
  const SlotId Dst = L.value(Of.Object);
  if (Dst == SlotId::None || V.Slot == SlotId::None)
    return Dst;
  // Where a part begins is no news.
  if (L.Slots.isListOfParts(variableOf(Of.Object)))
    return Dst;
  const bool IsEach = eachElement(L, T) != SlotId::None;
  if (IsEach || isa<DeclRefExpr, MemberExpr>(strip(Of.Object)))
    checkStore(L, L.Lists.listOf(Dst), V, At);
  // Handles in a list are replaced one by one; `*p = x` is all of p.
  if (IsEach)
    L.emit(BindFact{Dst, V, L.place(At)});
  else if (isElement(T) &&
           (isHandle(T->getType()) || isObjectOf(L, T->getType())))
    L.joinList(Dst, V, At);
  else
    L.emitOp(ScalarRules::get().Copy, {V}, At, writtenPart(L, Of, Dst, At),
             !isa<UnaryOperator>(T) && !namesGradient(T));
  return Dst;
}

bool namesGradient(const Expr *E) {
  E = strip(E);
  if (!isa<CXXMemberCallExpr>(E) || !E->isLValue())
    return false;
  const CallSite C(E);
  return C.Receiver && isTensor(C.Receiver->getType()) &&
         C.base() == "mutable_grad";
}

/// `grads[i] = p.grad()`: whoever has the list may reduce the gradient.
static void keepGradient(ExprLowering &L, const Expr *Value, const Expr *At) {
  const Expr *E = Value ? strip(Value) : nullptr;
  if (!isa_and_nonnull<CXXMemberCallExpr>(E))
    return;
  const CallSite C(E);
  if (C.Receiver && isTensor(C.Receiver->getType()) &&
      (C.base() == "grad" || C.base() == "mutable_grad"))
    loseGradient(L, L.value(C.Receiver), At);
}

/// A variable that was made with the object, `auto *net = new Net`, and no name
/// that goes from one to another.
static bool ownsByPointer(const Expr *Owner) {
  const auto *VD = dyn_cast_or_null<VarDecl>(namedBy(strip(Owner)));
  return VD && VD->isLocalVarDecl() && VD->getInit() &&
         isa<CXXNewExpr>(strip(VD->getInit()));
}

bool endsObject(const Expr *Owner, const Expr *Value) {
  const QualType T = strip(Owner)->getType();
  const bool IsPointer = T->isPointerType();
  const QualType Object =
      IsPointer ? T->getPointeeType()
                : (isSmartPointer(T) ? elementType(T) : QualType());
  if (Object.isNull() || !isObject(Object) || isModule(Object) ||
      (IsPointer && !ownsByPointer(Owner)))
    return false;
  if (!Value || isa<CXXDefaultArgExpr>(Value) || isAbsent(strip(Value)))
    return true;
  return isa<CXXNullPtrLiteralExpr, GNUNullExpr>(Value->IgnoreParenImpCasts());
}

SlotId lowerAssign(ExprLowering &L, const Expr *Target, const Expr *Value,
                   const Expr *At) {
  const Expr *T = strip(Target);
  Operand V = L.operandOrNone(Value);
  if (isPartName(L, T))
    return V.Slot;
  if (endsObject(T, Value)) // nobody has it any more
    return L.value(T);
  if (V.Slot != SlotId::None && Value->isLValue() && copiesDeeply(T->getType()))
    V.Slot = L.emitOp(ScalarRules::get().Copy, {V}, At);
  if (isa<CallExpr>(T))
    if (const CallSite Tie(T); Tie.Name == "std::tie")
      return assignTied(L, Tie, V, Value, At), V.Slot;
  if (const auto *ME = dyn_cast<MemberExpr>(T))
    L.noteField(ME, Value);
  if (classify(T->getType()) == TypeClass::Scalar)
    return store(L, T, V, At), L.value(T);
  if (isElement(T))
    keepGradient(L, Value, At);
  return isa<DeclRefExpr, MemberExpr>(T) ||
                 singleElement(L, T) != SlotId::None || namesOutPointer(T)
             ? assignName(L, Target, V, Value, At)
             : assignPart(L, T, V, At);
}

} // namespace spmd::lint::lower
