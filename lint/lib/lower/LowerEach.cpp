//===- LowerEach.cpp - Loops over all elements of a list ------------------===//
//
// Before the loop, the list is copied. Each iteration has a copy of an element
// of that, and joins what it leaves of it with what the others left. Behind the
// loop the list is that, if an iteration changes its element at all.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"

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

namespace {

/// The slots that may name an element, and whether anything writes it.
class ElementNames {
public:
  explicit ElementNames(SlotId List) : List(List) {}
  void add(SlotId S) { Names.insert(S); }

  bool areWritten(const Function &F) {
    for (std::size_t Before = 0; Before != Names.size();) {
      Before = Names.size();
      for (const Fact &X : factsOf(F))
        follow(X);
    }
    return llvm::any_of(factsOf(F),
                        [this](const Fact &X) { return writes(X); });
  }

private:
  void follow(const Fact &X) {
    if (const auto *B = std::get_if<BindFact>(&X);
        B && Names.contains(B->Src.Slot) && B->Dst != List)
      add(B->Dst);
    if (const auto *V = std::get_if<ViewFact>(&X);
        V && Names.contains(V->Src.Slot))
      add(V->Dst);
  }
  bool writes(const Fact &X) const {
    if (const auto *B = std::get_if<BindFact>(&X))
      return Names.contains(B->Dst) && !B->Joins &&
             !Names.contains(B->Src.Slot);
    bool Out = false;
    forEachSlot(X, [&](SlotId S, SlotAccess How) {
      Out |= Names.contains(S) &&
             (How.Writes || std::holds_alternative<CallFact>(X) ||
              std::holds_alternative<GradientFact>(X));
    });
    return Out;
  }

  const SlotId List;
  llvm::DenseSet<SlotId> Names;
};

} // namespace

/// Of the lists of loops that change no element nothing is written back: on
/// some ranks alone, that would make them differ.
void FunctionLowering::keepUnchangedLists() {
  for (const auto &[Loop, Lists] : EachLists)
    for (const EachList &L : Lists) {
      ElementNames Names(L.List.Slot);
      Names.add(L.Element);
      if (!Loop->OfNumbers)
        Names.add(variableSlot(Loop->Variable));
      if (Loop->Gradients || L.List.Slot == SlotId::None || Names.areWritten(F))
        continue;
      const auto WritesBack = [&L = L](const Fact &X) {
        const auto *O = std::get_if<OpFact>(&X);
        return O && O->WritesTo == L.List.Slot && O->Operands.size() == 1 &&
               (O->Operands[0].Slot == L.Done ||
                O->Operands[0].Slot == L.Before);
      };
      for (Block &B : F.Blocks)
        llvm::erase_if(B.Facts, WritesBack);
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
    for (const FilledLists::Filled &Made : eachLoops().filled().by(Loop.Loop)) {
      const SlotId Of =
          Made.WithGradients ? gradientOf(L.List, E) : L.List.Slot;
      emit(BindFact{variableSlot(Made.List), {Of, L.List.At}, L.List.At});
    }
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
