//===- LowerEach.cpp - Loops over all elements of a list ----------------===//

#include "LowerEach.h"

#include "Strip.h"

#include "cxx/TypeClass.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The elements that \p List names one by one: `for (float *g : {a, b})`.
static llvm::ArrayRef<Expr *> namedElements(const Expr *List) {
  const auto *Braces = dyn_cast<InitListExpr>(strip(List));
  return Braces ? Braces->inits() : llvm::ArrayRef<Expr *>();
}

void EachLists::begin(const EachLoop &Loop,
                      llvm::function_ref<Operand(const Expr *)> Of) {
  auto &Lists = ListsOf[&Loop];
  const OpRule &Same = L.module().elementRule();
  for (const Expr *E : Loop.Lists) {
    List &Each = Lists.emplace_back();
    Each.Mention = E;
    Each.Of = Of(E);
    if (Each.Of.Slot == SlotId::None)
      continue;
    for (const Expr *Element : namedElements(E))
      if (const Operand Named = Of(Element); Named.Slot != SlotId::None)
        Each.Named.push_back(Named);
    Each.Before = L.emitOp(Same, {Each.Of}, E);
    Each.Element = L.temporary();
    Each.Done = L.define(DefineFact::Kind::Undefined, E);
    if (!Loop.Gradients)
      continue;
    Each.GradientsBefore =
        L.emitOp(Same, {{L.gradientOf(Each.Of, E), Each.Of.At}}, E);
    Each.GradientsDone = L.define(DefineFact::Kind::Undefined, E);
  }
}

SlotId EachLists::next(const EachLoop &Loop) {
  SlotId Variable = SlotId::None;
  for (const List &Each : ListsOf[&Loop]) {
    const Expr *E = Each.Mention;
    if (Each.Of.Slot == SlotId::None)
      continue;
    OpFact Copy;
    Copy.Rule = &L.module().elementRule();
    Copy.Dst = Each.Element;
    Copy.Operands.push_back({Each.Before, Each.Of.At});
    Copy.FormalOf.push_back(0);
    Copy.At = Each.Of.At;
    L.emit(std::move(Copy));
    // Who keeps the element, keeps one of the list.
    L.joinList(Each.Of.Slot, {Each.Element, Each.Of.At}, E);
    if (Loop.Gradients)
      L.emitOp(L.module().elementRule(), {{Each.GradientsBefore, Each.Of.At}},
               E, L.gradientOf({Each.Element, Each.Of.At}, E));
    if (!Loop.OfNumbers)
      Variable = Each.Element;
  }
  return Variable;
}

void EachLists::end(const EachLoop &Loop) {
  for (const List &Each : ListsOf[&Loop]) {
    const Expr *E = Each.Mention;
    if (Each.Of.Slot == SlotId::None)
      continue;
    // What was assigned to a reference is in the list.
    const QualType T = Loop.Variable->getType();
    const bool Renames = !Loop.OfNumbers && T->isReferenceType() &&
                         classify(T) == TypeClass::Tensor;
    const Operand Left{Renames ? Slots.variable(Loop.Variable) : Each.Element,
                       Each.Of.At};
    L.emitOp(L.module().elementRule(), {Left}, E, Each.Done, /*Partial=*/true);
    if (Loop.Gradients)
      L.emitOp(L.module().elementRule(), {{L.gradientOf(Left, E), Each.Of.At}},
               E, Each.GradientsDone, /*Partial=*/true);
  }
}

namespace {

/// The slots that may name an element, or its gradient, and whether anything
/// but the loop itself, which gives it \p Given first, writes it.
class ElementNames {
public:
  ElementNames(SlotId List, SlotId Given, bool AreConst)
      : List(List), Given(Given), AreConst(AreConst) {}
  void add(SlotId S) { Names.insert(S); }

  bool areWritten(const Function &F) {
    followAll(F);
    return llvm::any_of(factsOf(F),
                        [this](const Fact &X) { return writes(X); });
  }

  /// Whether another list gets them, through which they may be written.
  bool areKept(const Function &F) {
    followAll(F);
    return llvm::any_of(factsOf<BindFact>(F), [this](const BindFact &B) {
      return B.Joins && B.Dst != List && Names.contains(B.Src.Slot);
    });
  }

  /// Whether a caller gets them, who may write them.
  bool areReturned(const Function &F) {
    followAll(F);
    return llvm::any_of(factsOf(F), [&, this](const Fact &X) {
      const auto *R = std::get_if<ReturnFact>(&X);
      return R && llvm::any_of(Names, [&](SlotId S) {
               return isWithin(F, S, R->Value.Slot);
             });
    });
  }

private:
  void followAll(const Function &F) {
    for (std::size_t Before = 0; Before != Names.size();) {
      Before = Names.size();
      for (const Fact &X : factsOf(F))
        follow(X);
    }
  }
  void follow(const Fact &X) {
    if (const auto *B = std::get_if<BindFact>(&X);
        B && Names.contains(B->Src.Slot) && B->Dst != List)
      add(B->Dst);
    if (const auto *V = std::get_if<ViewFact>(&X);
        V && Names.contains(V->Src.Slot))
      add(V->Dst);
    if (const auto *O = std::get_if<OpFact>(&X);
        O && !O->Rule->Views.empty() && O->Dst != SlotId::None &&
        llvm::any_of(O->Operands, [this](const Operand &Of) {
          return Names.contains(Of.Slot);
        }))
      add(O->Dst);
    if (const auto *G = std::get_if<GradientFact>(&X);
        G && Given != SlotId::None && Names.contains(G->Src.Slot))
      add(G->Dst);
  }
  bool writes(const Fact &X) const {
    const auto *O = std::get_if<OpFact>(&X);
    if (O && O->Operands.size() == 1 && Given != SlotId::None &&
        O->Operands[0].Slot == Given)
      return false;
    if (const auto *B = std::get_if<BindFact>(&X))
      return Names.contains(B->Dst) && !B->Joins &&
             !Names.contains(B->Src.Slot);
    bool Out = false;
    forEachSlot(X, [&](SlotId S, SlotAccess How) {
      Out |=
          Names.contains(S) &&
          (How.Writes || (!AreConst && std::holds_alternative<CallFact>(X)) ||
           (Given == SlotId::None && std::holds_alternative<GradientFact>(X)));
    });
    return Out;
  }

  const SlotId List, Given;
  const bool AreConst; ///< no callee writes what they point to
  llvm::DenseSet<SlotId> Names;
};

/// `const float *const *`: what is in the elements of the list stays as it is.
bool isOfConstants(QualType List) {
  const QualType Element =
      List->isPointerType() ? List->getPointeeType()
      : List->isArrayType() ? QualType(List->getArrayElementTypeNoTypeQual(), 0)
                            : QualType();
  return !Element.isNull() && Element->isPointerType() &&
         Element->getPointeeType().isConstQualified();
}

} // namespace

bool EachLists::givesBack(const Fact &X, const List &Each) {
  if (const auto *B = std::get_if<BindFact>(&X))
    return B->Joins && B->Dst == Each.Of.Slot && B->Src.Slot == Each.Element;
  const auto *O = std::get_if<OpFact>(&X);
  if (!O || O->Operands.size() != 1 || O->WritesTo == SlotId::None ||
      O->Operands[0].Slot == SlotId::None)
    return false;
  const SlotId From = O->Operands[0].Slot;
  return From == Each.Done || From == Each.GradientsDone ||
         (From == Each.Before && O->WritesTo == Each.Of.Slot);
}

void EachLists::keepUnchanged() {
  for (const auto &[Loop, Lists] : ListsOf)
    for (const List &Each : Lists) {
      ElementNames Names(Each.Of.Slot, Each.GradientsBefore,
                         isOfConstants(Each.Mention->getType()));
      // Of gradients, as of what is made of them, others are no elements.
      ElementNames Elements(Each.Of.Slot, SlotId::None, /*AreConst=*/true);
      for (ElementNames *Of : {&Names, &Elements}) {
        Of->add(Each.Element);
        if (!Loop->OfNumbers)
          Of->add(Slots.variable(Loop->Variable));
      }
      if (Each.Of.Slot == SlotId::None || Names.areWritten(L.ir()))
        continue;
      // Whose element a caller, or another list, has, they are to know.
      const bool Stays = Names.areReturned(L.ir()) || Elements.areKept(L.ir());
      for (Block &B : L.ir().Blocks)
        llvm::erase_if(B.Facts, [&](const Fact &X) {
          return givesBack(X, Each) &&
                 !(Stays && std::holds_alternative<BindFact>(X));
        });
    }
}

void EachLists::giveBack(const EachLoop &Loop, const List &Each, bool Visited,
                         bool Partial) {
  const Expr *E = Each.Mention;
  L.emitOp(L.module().elementRule(),
           {{Visited ? Each.Done : Each.Before, Each.Of.At}}, E, Each.Of.Slot,
           Partial);
  if (Loop.Gradients)
    L.emitOp(
        L.module().elementRule(),
        {{Visited ? Each.GradientsDone : Each.GradientsBefore, Each.Of.At}}, E,
        L.gradientOf(Each.Of, E), Partial);
}

void EachLists::leave(const EachLoop &Loop, bool Visited) {
  for (const List &Each : ListsOf[&Loop]) {
    if (Each.Of.Slot == SlotId::None)
      continue;
    giveBack(Loop, Each, Visited, /*Partial=*/Visited && Loop.OfSome);
    if (Visited)
      leaveNamed(Each);
    for (const FilledLists::Filled &Made : Loop.Fills)
      if (Made.HasOthers)
        L.joinList(Slots.variable(Made.List), Each.Of, Each.Mention);
      else
        L.emit(
            BindFact{Slots.variable(Made.List),
                     {Made.WithGradients ? L.gradientOf(Each.Of, Each.Mention)
                                         : Each.Of.Slot,
                      Each.Of.At},
                     Each.Of.At});
  }
}

void EachLists::leaveEarly(const EachLoop &Loop) {
  end(Loop);
  for (const List &Each : ListsOf[&Loop])
    if (Each.Of.Slot != SlotId::None)
      giveBack(Loop, Each, /*Visited=*/true, /*Partial=*/true);
}

/// What the loop did, it did to each of the elements that the list names.
void EachLists::leaveNamed(const List &Each) {
  const Expr *E = Each.Mention;
  for (const Operand Named : Each.Named) {
    L.emitOp(L.module().elementRule(), {{Each.Done, Named.At}}, E, Named.Slot);
    if (Each.GradientsDone != SlotId::None)
      L.emitOp(L.module().elementRule(), {{Each.GradientsDone, Named.At}}, E,
               L.gradientOf(Named, E));
  }
}

SlotId EachLists::listOf(SlotId Element) const {
  for (const auto &[Loop, Lists] : ListsOf)
    for (const List &Each : Lists)
      if (Element == Each.Element ||
          (!Loop->OfNumbers && Element == Slots.variable(Loop->Variable)))
        return Each.Of.Slot;
  return Element;
}

SlotId EachLists::element(const EachLoops::Element &At) const {
  const auto It = ListsOf.find(At.Of);
  return It == ListsOf.end() ? SlotId::None : It->second[At.List].Element;
}

} // namespace spmd::lint::lower
