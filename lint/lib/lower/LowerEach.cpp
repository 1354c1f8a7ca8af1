//===- LowerEach.cpp - Loops over all elements of a list ------------------===//
//
// Before the loop, the list is copied. Each iteration has a copy of an element
// of that, and joins what it leaves of it with what the others left. Behind the
// loop the list is that.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

const EachLoops &FunctionLowering::eachLoops() {
  if (!Each)
    Each.emplace(FD);
  return *Each;
}

void FunctionLowering::beginEach(const EachLoop &Loop) {
  auto &Lists = EachLists[&Loop];
  const OpRule &Same = M.elementRule();
  for (const Expr *E : Loop.Lists) {
    EachList &L = Lists.emplace_back();
    L.Mention = E;
    L.List = operand(E);
    if (L.List.Slot == SlotId::None)
      continue;
    L.Before = emitOp(Same, {L.List}, E);
    L.Element = temporary();
    L.Done = define(DefineFact::Kind::Undefined, E);
    if (!Loop.Gradients)
      continue;
    L.GradientsBefore = emitOp(Same, {{gradientOf(L.List, E), L.List.At}}, E);
    L.GradientsDone = define(DefineFact::Kind::Undefined, E);
  }
}

void FunctionLowering::nextEach(const EachLoop &Loop) {
  for (const EachList &L : EachLists[&Loop]) {
    const Expr *E = L.Mention;
    if (L.List.Slot == SlotId::None)
      continue;
    OpFact Copy;
    Copy.Rule = &M.elementRule();
    Copy.Dst = L.Element;
    Copy.Operands.push_back({L.Before, L.List.At});
    Copy.FormalOf.push_back(0);
    Copy.At = L.List.At;
    emit(std::move(Copy));
    // Who keeps the element, keeps one of the list.
    joinList(L.List.Slot, {L.Element, L.List.At}, E);
    if (Loop.Gradients)
      emitOp(M.elementRule(), {{L.GradientsBefore, L.List.At}}, E,
             gradientOf({L.Element, L.List.At}, E));
    if (Loop.OfNumbers)
      continue;
    const Expr *Init = strip(Loop.Variable->getInit());
    Values[Init] = L.Element;
  }
}

void FunctionLowering::endEach(const EachLoop &Loop) {
  for (const EachList &L : EachLists[&Loop]) {
    const Expr *E = L.Mention;
    if (L.List.Slot == SlotId::None)
      continue;
    // What was assigned to a reference is in the list.
    const QualType T = Loop.Variable->getType();
    const bool Renames = !Loop.OfNumbers && T->isReferenceType() &&
                         classify(T) == TypeClass::Tensor;
    const Operand Left{Renames ? variableSlot(Loop.Variable) : L.Element,
                       L.List.At};
    emitOp(M.elementRule(), {Left}, E, L.Done, /*Partial=*/true);
    if (Loop.Gradients)
      emitOp(M.elementRule(), {{gradientOf(Left, E), L.List.At}}, E,
             L.GradientsDone, /*Partial=*/true);
  }
}

/// Behind the loop: what its iterations left of the elements, or what there
/// was.
void FunctionLowering::leaveEach(const EachLoop &Loop, bool Visited) {
  for (const EachList &L : EachLists[&Loop]) {
    const Expr *E = L.Mention;
    if (L.List.Slot == SlotId::None)
      continue;
    emitOp(M.elementRule(), {{Visited ? L.Done : L.Before, L.List.At}}, E,
           L.List.Slot);
    if (Loop.Gradients)
      emitOp(M.elementRule(),
             {{Visited ? L.GradientsDone : L.GradientsBefore, L.List.At}}, E,
             gradientOf(L.List, E));
  }
}

SlotId FunctionLowering::listOf(const Expr *Element) {
  const SlotId Of = value(Element);
  for (const auto &[Loop, Lists] : EachLists)
    for (const EachList &L : Lists)
      if (Of == L.Element ||
          (!Loop->OfNumbers && Of == variableSlot(Loop->Variable)))
        return L.List.Slot;
  return Of;
}

/// The element of an iteration that \p E, `list[i]`, names.
SlotId FunctionLowering::eachElement(const Expr *E) {
  const EachLoops::Element At = eachLoops().element(E);
  return At.Of && EachLists.contains(At.Of) ? EachLists[At.Of][At.List].Element
                                            : SlotId::None;
}

} // namespace spmd::lint::lower
