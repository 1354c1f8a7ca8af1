//===- Elements.cpp - Elements of arrays, buffers and lists -------------===//

#include "Elements.h"

#include "Recognisers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId singleElement(ExprLowering &L, const Expr *E) {
  if (const SlotId S = savedDatum(L, E); S != SlotId::None)
    return S;
  const SingleElements::Element *Of = L.Body.singles().find(strip(E));
  return Of ? L.Slots.element(L.value(Of->List), Of->Number) : SlotId::None;
}

/// Whether a loop counts \p Index: then all elements have their turn.
static bool isCounted(ExprLowering &L, const Expr *Index) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Index->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && !L.Body.constancy().isConstant(VD);
}

/// An element of an array, a buffer or a list; the first or the last one where
/// there is no \p Index.
SlotId element(ExprLowering &L, Operand Of, const Expr *Index, const Expr *At) {
  if (const SlotId Single = singleElement(L, At); Single != SlotId::None)
    return L.value(Index), Single;
  if (const SlotId Own = L.Lists.element(L.Body.eachLoops().element(At));
      Own != SlotId::None)
    return L.value(Index), Own;
  ViewFact V;
  V.Dst = L.temporary();
  V.Src = Of;
  V.At = L.place(At);
  const bool Number = Index && classify(Index->getType()) == TypeClass::Scalar;
  if (Number)
    V.Offset = L.operand(Index);
  else if (Index)
    L.value(Index);
  const bool IsHandle =
      isHandle(At->getType()) && !(Number && isCounted(L, Index));
  V.K = IsHandle ? ViewFact::Kind::Handle : ViewFact::Kind::Element;
  if (!Number && !IsHandle)
    return Of.Slot;
  const SlotId Dst = V.Dst;
  L.emit(V);
  return Dst;
}

void bindElements(ExprLowering &L, SlotId List, const InitListExpr *Values) {
  for (unsigned I = 0; I != Values->getNumInits(); ++I) {
    const SlotId Element = L.Slots.element(List, I);
    if (const Operand V = L.operandOrNone(Values->getInit(I));
        V.Slot != SlotId::None)
      L.emit(BindFact{Element, V, V.At});
    else
      L.assign(Element, Values->getInit(I), DefineFact::Kind::Undefined);
  }
}

const Expr *viewedObject(const ExprLowering &L, const Expr *E, bool &Partial) {
  while (true) {
    E = strip(E);
    if (L.Body.singles().find(E))
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

} // namespace spmd::lint::lower
