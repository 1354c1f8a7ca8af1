//===- Gradients.cpp - The storage of tensors' gradients ------------------===//

#include "Gradients.h"

#include "LinearSources.h"
#include "TrainedApart.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace spmd::rules::inference {

/// The gradient that a backward pass leaves for \p Primal.
static AbstractValue dualOf(AbstractValue Primal, const Origin *From) {
  for (AxisState &A : Primal.Axes)
    if (Primal.GradientEscapes)
      A = AxisState();
    else if (!A.Set.isAll()) {
      const std::optional<std::int8_t> Dim = A.Dim;
      A = AxisState::of(dual(A.Set), From);
      A.Dim = Dim;
    }
  static_cast<ViewPosition &>(Primal) = {};
  Primal.Gradient = NoCell;
  Primal.IsGradient = true;
  Primal.FreshGradient = ~AxisMask(0);
  Primal.PartialAtVaryingOffset = Primal.ModifiedDivergently = 0;
  Primal.PromisedAlike = 0;
  Primal.Chosen = Primal.Zero = false;
  Primal.Holds.clear();
  return Primal;
}

const AbstractValue *Gradients::gradientOf(const State &S, CellId Primal) {
  const AbstractValue *P = S.contents(Primal);
  return P && P->Gradient != NoCell ? S.contents(P->Gradient) : nullptr;
}

/// What was done to the gradients of a whole module was done to those of its
/// parts that are pending, on the axes where it is known what the whole is, or
/// where something was done.
void Gradients::takeFromWhole(CellId Primal, AbstractValue &Gradient) const {
  for (CellId Whole : wholesOf(Primal)) {
    const AbstractValue *Of = gradientOf(*Point.Now, Whole);
    if (!Of)
      continue;
    const AbstractValue &Is = *Store.contents(Whole);
    for (AxisId A = 0; A != Gradient.Axes.size(); ++A)
      if (Gradient.Axes[A].Set == TypeSet(LocalType::P) &&
          (!Of->Axes[A].Set.isAll() || !Is.Axes[A].Set.isAll() ||
           !(Of->FreshGradient & 1u << A)))
        Gradient.Axes[A] = Of->Axes[A];
    return;
  }
}

/// What the axes are on which \p C differs between ranks, or \p Apart says so,
/// and the others.
static AskedGradients askedOf(const AbstractValue &C, AxisMask Apart) {
  AskedGradients Out;
  for (AxisId A = 0; A != C.Axes.size(); ++A) {
    const bool Varies =
        C.Axes[A].Set == TypeSet(LocalType::V) || (Apart & 1u << A);
    (Varies ? Out.OfVarying : Out.OfOthers) |= 1u << A;
  }
  return Out;
}

/// The axes on which somebody changed gradients that may be those of \p Primal.
AxisMask Gradients::changedByOtherName(CellId Primal) const {
  AxisMask Out = Point.Now->ForeignGradients;
  if (Store.contents(Primal)->Chosen)
    Point.Now->forEachCell([&](CellId, const AbstractValue &Other) {
      if (const AbstractValue *Of = Other.Gradient == NoCell
                                        ? nullptr
                                        : Point.Now->contents(Other.Gradient))
        Out |= ~Of->FreshGradient;
    });
  return Out;
}

void Gradients::run(const GradientFact &G) {
  if (!Trained)
    Trained.emplace(E, F);
  // An optimizer that nobody is seen to make is the model's that is trained: on
  // all ways, if it is on one.
  if (const SlotId Model = Trained->modelOf(G.Src.Slot);
      Model != SlotId::None && (IsTrainers || isUnknown(G.Src.Slot)) &&
      !isUnknown(Model)) {
    IsTrainers = true;
    Store.bind(G.Src.Slot, Store.cellOf(Model));
  }
  return G.Clears ? clear(G) : ask(G);
}

/// Whether nothing is known of the tensors that \p List has.
bool Gradients::isUnknown(SlotId List) const {
  const AbstractValue &Is = *Store.contents(Store.cellOf(List));
  return Is.Untouched && !Is.PromisedAlike &&
         llvm::all_of(Is.Axes,
                      [](const AxisState &A) { return A.Set.isAll(); });
}

/// What was made of the backward pass's gradients is zeros. Of those that
/// nobody asked for it is not said: the next pass may be on another way.
void Gradients::clear(const GradientFact &G) {
  const CellId Primal = Store.cellOf(G.Src.Slot);
  forgetSums(); // of others, which may be the same
  AbstractValue Of = *Store.contents(Primal);
  Of.GradientCleared = true;
  Store.put(Primal, std::move(Of));
  if (!gradientOf(*Point.Now, Primal))
    return Store.define(G.Dst, Decls.unknownValue());
  const CellId Id = Store.contents(Primal)->Gradient;
  AbstractValue Cleared = *Store.contents(Id);
  Cleared.Zero = true;
  for (AxisState &A : Cleared.Axes)
    A.From = Decls.origin(Origin::Kind::Op, G.At, "cleared here");
  E.noteZeros();
  Store.put(Id, std::move(Cleared));
  Store.bind(G.Dst, Id);
}

/// The same of what the list \p Primal surely has.
void Gradients::takeFromHeld(CellId Primal, AbstractValue &Gradient,
                             const GradientFact &G) {
  const AbstractValue &List = *Store.contents(Primal);
  if (!List.GradientEscapes)
    takeFrom(llvm::SmallVector<CellId, 2>(List.Holds), Gradient, G);
}

/// One of \p Parts that nobody has reduced is enough for what all of them are
/// used for.
void Gradients::takeFrom(llvm::ArrayRef<CellId> Parts, AbstractValue &Gradient,
                         const GradientFact &G) {
  constexpr unsigned MostNested = 4;
  if (Nested == MostNested)
    return;
  const llvm::SaveAndRestore Deeper(Nested, Nested + 1);
  const auto Escapes = [this](CellId Whole) {
    const AbstractValue *Is = Store.contents(Whole);
    return Is && Is->GradientEscapes;
  };
  for (const CellId Held : Parts) {
    if (!Store.contents(Held) || llvm::any_of(wholesOf(Held), Escapes))
      continue;
    std::optional<AbstractValue> Asked = known(Held);
    llvm::SmallVector<CellId, 4> Shared;
    const AbstractValue Of =
        Asked ? std::move(*Asked) : asLeft(Held, G, Shared);
    for (AxisId A = 0; A != Gradient.Axes.size(); ++A)
      if (Of.Axes[A].isSurely(LocalType::P) &&
          !Gradient.Axes[A].isSurely(LocalType::P))
        Gradient.Axes[A] = Of.Axes[A];
  }
}

/// The gradient of \p Primal, if somebody asked for it since the last backward
/// pass.
std::optional<AbstractValue> Gradients::known(CellId Primal) const {
  const AbstractValue *Asked = gradientOf(*Point.Now, Primal);
  if (!Asked)
    return std::nullopt;
  AbstractValue Out = *Asked;
  takeFromWhole(Primal, Out);
  return Out;
}

void Gradients::ask(const GradientFact &G) {
  const CellId Primal = Store.cellOf(G.Src.Slot);
  noteAsked(askedOf(*Store.contents(Primal),
                    trainedApart(F, Store, *Point.Now, Alias.heldBy(Primal))));
  if (std::optional<AbstractValue> Now = known(Primal)) {
    const CellId Gradient = Store.contents(Primal)->Gradient;
    takeFromHeld(Primal, *Now, G);
    if (*Now != *Store.contents(Gradient))
      Store.put(Gradient, std::move(*Now));
    Store.bind(G.Dst, Gradient);
    return;
  }
  llvm::SmallVector<CellId, 4> Shared;
  Store.define(G.Dst, asLeft(Primal, G, Shared));
  const CellId Made = Point.Now->cellOf(index(G.Dst));
  for (CellId Gradient : Shared)
    Alias.mayHold(Made, Gradient);
  AbstractValue WithGradient = *Store.contents(Primal);
  WithGradient.Gradient = Made;
  Store.put(Primal, std::move(WithGradient));
}

/// What the program calls the tensor \p Primal; empty where it has no name.
llvm::StringRef Gradients::nameOf(CellId Primal) const {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (!F.Slots[I].Name.empty() && Point.Now->cellOf(I) == Primal)
      return F.Slots[I].Name;
  return {};
}

/// The gradient of \p Primal, which nobody has asked for since the last
/// backward pass, and what it has in common with those that somebody did.
AbstractValue Gradients::asLeft(CellId Primal, const GradientFact &G,
                                llvm::SmallVectorImpl<CellId> &Shared) {
  const bool SomeEscape = haveEscaped(Primal);
  AbstractValue Is = *Store.contents(Primal);
  Is.GradientEscapes |= SomeEscape;
  takeDeclared(Primal, Is);
  AbstractValue C =
      dualOf(std::move(Is),
             Decls.origin(Origin::Kind::Gradient, G.At,
                          Nested ? nameOf(Primal) : F.slot(G.Src.Slot).Name));
  takeFromWhole(Primal, C);
  llvm::SmallVector<CellId, 4> Others = mayShareTensors(Primal);
  for (CellId Part : partsOf(Primal))
    if (!llvm::is_contained(Others, Part))
      Others.push_back(Part);
  llvm::erase_if(Others, [&](CellId Other) {
    return !gradientOf(*Point.Now, Other) || areApart(Primal, Other);
  });
  // One that nobody reduced is enough for what all of them are used for.
  const bool AnyPending = hasOthers(Primal, Others);
  AxisMask Changed = changedByOtherName(Primal);
  const AxisMask Apart =
      trainedApart(F, Store, *Point.Now, Alias.heldBy(Primal));
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (C.Axes[A].Set.contains(LocalType::P))
      Changed |= Apart & 1u << A;
  for (CellId Other : Others) {
    const AbstractValue &Of = *gradientOf(*Point.Now, Other);
    // Of an optimizer and of its model, or of another one.
    if (listsOther(Primal, Other))
      for (AxisId A = 0; A != C.Axes.size(); ++A)
        if (C.Axes[A].Set.contains(LocalType::P) &&
            !Of.Axes[A].must().contains(LocalType::P))
          Changed |= 1u << A;
    if (!AnyPending)
      C = inference::join(C, Of);
    Shared.push_back(Store.contents(Other)->Gradient);
  }
  C.Gradient = NoCell;
  // It may be one of those that were changed by another name.
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (Changed & 1u << A)
      C.Axes[A] = AxisState();
  C.FreshGradient &= ~Changed;
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (C.Axes[A].isSurely(LocalType::P))
      C.Axes[A].Added = Store.contents(Primal)->Axes[A].UnderGradient;
  takeFromHeld(Primal, C, G);
  if (SomeEscape)
    takeFrom(partsOf(Primal), C, G);
  return C;
}

void Gradients::lose(SlotId Slot) {
  // Who has a list has what is in it.
  for (const CellId Held : Alias.heldBy(Store.cellOf(Slot)))
    if (Store.contents(Held))
      loseOf(Held);
  for (SlotId Field : Facts.Objects.fieldsOf(Slot))
    lose(Field);
}

void Gradients::loseOf(CellId Id) {
  AbstractValue Lost = *Store.contents(Id);
  if (Lost.Gradient != NoCell && Store.contents(Lost.Gradient))
    Store.put(Lost.Gradient, Decls.unknownValue());
  Lost.GradientEscapes = true;
  Lost.GradientCleared = false;
  for (AxisState &A : Lost.Axes)
    A.UnderGradient = nullptr;
  Store.put(Id, std::move(Lost));
}

void Gradients::forgetAll() {
  RunsBackward = true;
  Point.Now->ForeignGradients = 0;
  llvm::SmallVector<CellId, 8> Known;
  Point.Now->forEachCell([&](CellId Id, const AbstractValue &C) {
    if (C.Gradient != NoCell || C.GradientCleared)
      Known.push_back(Id);
  });
  for (CellId Id : Known) {
    AbstractValue Stale = *Store.contents(Id);
    Stale.Gradient = NoCell;
    Stale.GradientCleared = false;
    Store.put(Id, std::move(Stale));
  }
  forgetSums();
}

void Gradients::forgetSums() {
  llvm::SmallVector<CellId, 8> Known;
  Point.Now->forEachCell([&](CellId Id, const AbstractValue &C) {
    if (llvm::any_of(C.Axes, [&](const AxisState &A) {
          return A.UnderGradient || (C.IsGradient && A.Summed);
        }))
      Known.push_back(Id);
  });
  for (CellId Id : Known) {
    AbstractValue Of = *Store.contents(Id);
    for (AxisState &A : Of.Axes) {
      A.UnderGradient = nullptr;
      A.Summed &= !Of.IsGradient;
    }
    Store.put(Id, std::move(Of));
  }
}

void Gradients::noteReduced(AxisMask On) {
  ReducedGradients |= On;
  E.noteReducedGradients(On);
}

void Gradients::noteAsked(AskedGradients Of) {
  Asked.add(Of);
  E.noteAskedGradients(Of);
}

/// What all ranks have, whoever added it up; divided by the number of ranks, it
/// may be terms.
void Gradients::noteGiven(const AbstractValue &Value) {
  constexpr TypeSet OfAll = LocalType::R | LocalType::I | LocalType::P;
  for (AxisId A = 0; A != Value.Axes.size(); ++A)
    if (const AxisState &Is = Value.Axes[A]; Is.Set.subsetOf(OfAll) &&
                                             !Is.isSurely(LocalType::P) &&
                                             !Value.Zero && !Is.Constant)
      noteReduced(1u << A);
}

/// Whether \p Id is, holds or is one of the parameters of a module.
bool Gradients::isOfParameters(CellId Id) const {
  const auto ListsAll = [this](CellId Cell) {
    return Cell < F.Slots.size() && F.Slots[Cell].Member == ParametersMember;
  };
  return llvm::any_of(Alias.heldBy(Id), [&](CellId Held) {
    return llvm::any_of(Store.wholesOf(Held), [&](CellId Whole) {
      return ListsAll(Whole) || llvm::any_of(Alias.mayBe(Whole), ListsAll);
    });
  });
}

bool Gradients::givesGradients(SlotId Slot) const {
  const CellId Id = Store.cellOf(Slot);
  return Store.contents(Id)->IsGradient || isOfParameters(Id) ||
         !wholesOf(Id).empty() ||
         llvm::any_of(Facts.Objects.fieldsOf(Slot),
                      [this](SlotId Field) { return givesGradients(Field); });
}

/// \p Id, which is one of several things maybe, is summed: whether they are
/// parameters, callers may know.
void Gradients::noteReducedCell(CellId Id, AxisMask On) {
  Reduced[Id] |= On;
  for (CellId Held : Alias.heldBy(Id))
    for (CellId Whole : Store.wholesOf(Held)) {
      Reduced[Whole] |= On;
      for (CellId List : Alias.mayBe(Whole))
        Reduced[List] |= On;
    }
}

/// The axes that the communicator of \p T may span, which says none: none that
/// another one is said to, unless several of them do what one would.
AxisMask Gradients::mayBeOver(const TransferFact &T) const {
  AxisMask Out = ~AxisMask(0);
  for (const Slot &S : F.Slots)
    for (AxisId A : Decls.spanOf(S))
      Out &= ~(1u << A);
  const CellId Over = Store.cellOf(T.Axis.Slot);
  for (const TransferFact &Other : factsOf<TransferFact>(F))
    if (const SlotId On = Other.Axis.Slot;
        reduces(Other.K) && On != SlotId::None &&
        Store.contents(Store.cellOf(On))->Span.empty() &&
        Store.cellOf(On) != Over)
      return ~AxisMask(0);
  return Out;
}

/// Whether \p Value holds parameters of a module, or by how much they changed.
bool Gradients::holdsParameters(SlotId Value) const {
  return isLinearIn(F, Value, [this](SlotId S) {
    const SlotId Module = F.slot(S).Base;
    return isOfParameters(Store.cellOf(S)) ||
           (Module != SlotId::None && F.slot(S).IsTensor &&
            llvm::any_of(Facts.Objects.fieldsOf(Module), [this](SlotId X) {
              return F.slot(X).Member == ParametersMember;
            }));
  });
}

/// Who has the gradients of all ranks may add them up itself. Instead of
/// gradients one may reduce what they were added to, a pending sum, the
/// parameters that each rank has changed by its own, or what nobody knows.
void Gradients::noteReduction(const TransferFact &T, const AbstractValue &Value,
                              llvm::ArrayRef<AxisId> Span) {
  const bool Gathers =
      T.K == TransferKind::AllGather || T.K == TransferKind::Gather;
  if (!reduces(T.K) && !Gathers)
    return;
  const bool IsOfAll =
      Value.IsGradient || (!Gathers && holdsParameters(T.Src.Slot));
  if (!Gathers && !Value.Number)
    for (AxisId A : Span)
      noteReducedCell(Store.cellOf(T.Src.Slot), 1u << A);
  if (IsOfAll && Span.empty())
    noteReduced(mayBeOver(T));
  for (AxisId A : Span)
    if (IsOfAll ||
        (!Gathers && !Value.Number &&
         (Value.Axes[A].isSurely(LocalType::P) || Value.Axes[A].Set.isAll())))
      noteReduced(1u << A);
}

bool Gradients::isAsAsked(const AbstractValue &Of,
                          const AbstractValue &Gradient) const {
  const AbstractValue Dual = dualOf(Of, nullptr);
  for (AxisId A = 0; A != Dual.Axes.size(); ++A)
    if (Gradient.Axes[A].Set != Dual.Axes[A].Set)
      return false;
  return true;
}

AbstractValue Gradients::join(const AbstractValue &A, const AbstractValue *OfA,
                              const AbstractValue &B, const AbstractValue *OfB,
                              JoinFn Join) const {
  // Zeros are what the other is.
  if (!OfA && OfB && A.GradientCleared)
    OfA = OfB;
  if (!OfB && OfA && B.GradientCleared)
    OfB = OfA;
  const Origin *From = Decls.origin(Origin::Kind::Gradient, PlaceId::None, {});
  AbstractValue Out =
      Join(OfA ? *OfA : dualOf(A, From), OfB ? *OfB : dualOf(B, From));
  if (A.GradientCleared != B.GradientCleared)
    if (const AbstractValue *Of = A.GradientCleared ? OfB : OfA)
      for (AxisId Axis = 0; Axis != Out.Axes.size(); ++Axis)
        Out.Axes[Axis].Summed = Of->Axes[Axis].Summed;
  return Out;
}

void Gradients::summarise(const Context &C, llvm::ArrayRef<CellId> Passed,
                          Summary &Out) const {
  Out.RunsBackward = RunsBackward;
  Out.ReducedGradients = ReducedGradients;
  Out.Asked = Asked;
  Out.ForeignGradients = Point.Now->ForeignGradients;
  for (unsigned I = 0; I != Passed.size(); ++I)
    if (const AxisMask On = Reduced.lookup(Passed[I]))
      Out.Reduced.emplace_back(I, On);
  for (unsigned I = 0; I != Passed.size(); ++I) {
    const AbstractValue *Gradient = gradientOf(*Point.Now, Passed[I]);
    Out.ExitCells[I].Gradient = C.Cells[I].Gradient;
    if (!Gradient)
      continue;
    const auto *Given = llvm::find(Passed, Store.contents(Passed[I])->Gradient);
    Summary::Gradient G{
        I,
        Given == Passed.end() ? -1 : static_cast<int>(Given - Passed.begin()),
        *Gradient};
    static_cast<ViewPosition &>(G.Value) = {};
    G.Value.Gradient = NoCell;
    G.Value.Untouched = false;
    Out.Gradients.push_back(std::move(G));
  }
}

void Gradients::take(const Summary &S, llvm::ArrayRef<CellId> Passed,
                     llvm::function_ref<AbstractValue(AbstractValue)> Here) {
  noteReduced(S.ReducedGradients);
  noteAsked(S.Asked);
  for (const auto &[Of, On] : S.Reduced) {
    noteReducedCell(Passed[Of], On);
    if (isOfParameters(Passed[Of]))
      noteReduced(On);
  }
  if (S.RunsBackward)
    forgetAll();
  Store.noteForeignGradients(S.ForeignGradients);
  for (const Summary::Gradient &G : S.Gradients) {
    CellId Id = G.Alias >= 0 ? Passed[G.Alias] : NoCell;
    if (Id == NoCell) {
      Id = Numbers.gradientAt(Point.Cell, G.Of);
      Store.put(Id, Here(G.Value));
    }
    AbstractValue Primal = *Store.contents(Passed[G.Of]);
    Primal.Gradient = Id;
    Store.put(Passed[G.Of], std::move(Primal));
    handDown(Passed[G.Of], Id);
  }
}

} // namespace spmd::rules::inference
