//===- Gradients.cpp - The storage of tensors' gradients ------------------===//
//
// A tensor's gradient has a cell once it was asked for. Until then it is the
// dual of the tensor's type, and so it is again after the next backward pass.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

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
  Primal.PartialAtVaryingOffset = Primal.ModifiedDivergently = 0;
  return Primal;
}

const AbstractValue *FunctionAnalysis::gradientOf(const State &S,
                                                  CellId Primal) {
  const AbstractValue *P = S.contents(Primal);
  return P && P->Gradient != NoCell ? S.contents(P->Gradient) : nullptr;
}

/// Tensors that may be, or may hold, some of those in \p Primal.
llvm::SmallVector<CellId, 4>
FunctionAnalysis::mayShareTensors(CellId Primal) const {
  llvm::SmallVector<CellId, 4> Out = heldBy(Primal);
  llvm::append_range(Out, mayBe(Primal));
  // Of lists that were made elsewhere, nobody knows what they have in common.
  const auto IsList = [&](std::uint32_t Slot) {
    return F.Slots[Slot].Member == ParametersMember;
  };
  if (Primal < F.Slots.size() && IsList(Primal))
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (IsList(I))
        Out.push_back(Current->cellOf(I));
  llvm::sort(Out);
  Out.erase(llvm::unique(Out), Out.end());
  llvm::erase(Out, Primal);
  return Out;
}

void FunctionAnalysis::transfer(const GradientFact &G) {
  const CellId Primal = cellOf(G.Src.Slot);
  if (gradientOf(*Current, Primal)) {
    bind(G.Dst, contents(Primal)->Gradient);
    return;
  }
  AbstractValue C =
      dualOf(*contents(Primal),
             origin(Origin::Kind::Gradient, G.At, F.slot(G.Src.Slot).Name));
  llvm::SmallVector<CellId, 4> Shared;
  for (CellId Other : mayShareTensors(Primal))
    if (const AbstractValue *Theirs = gradientOf(*Current, Other)) {
      C = join(C, *Theirs);
      Shared.push_back(contents(Other)->Gradient);
    }
  C.Gradient = NoCell;
  define(G.Dst, std::move(C));
  const CellId Made = Current->cellOf(index(G.Dst));
  for (CellId Gradient : Shared)
    mayHold(Made, Gradient);
  AbstractValue WithGradient = *contents(Primal);
  WithGradient.Gradient = Made;
  put(Primal, std::move(WithGradient));
}

/// Unknown code may change the gradients of \p Slot, and of what is in it.
void FunctionAnalysis::loseGradients(SlotId Slot) {
  const CellId Id = cellOf(Slot);
  AbstractValue Lost = *contents(Id);
  if (Lost.Gradient != NoCell && contents(Lost.Gradient))
    put(Lost.Gradient, unknownValue());
  Lost.GradientEscapes = true;
  put(Id, std::move(Lost));
  if (const auto Fields = FieldsOf.find(index(Slot)); Fields != FieldsOf.end())
    for (SlotId Field : llvm::SmallVector<SlotId, 4>(Fields->second))
      loseGradients(Field);
}

/// Gradients accumulate anew: what was reduced before is pending again.
void FunctionAnalysis::forgetGradients() {
  RunsBackward = true;
  llvm::SmallVector<CellId, 8> Known;
  Current->forEachCell([&](CellId Id, const AbstractValue &C) {
    if (C.Gradient != NoCell)
      Known.push_back(Id);
  });
  for (CellId Id : Known) {
    AbstractValue Stale = *contents(Id);
    Stale.Gradient = NoCell;
    put(Id, std::move(Stale));
  }
}

void FunctionAnalysis::noteReduced(AxisMask On) {
  ReducedGradients |= On;
  E.noteReducedGradients(On);
}

/// A sum over \p Span of \p Value, which may be a gradient.
void FunctionAnalysis::noteReduction(const TransferFact &T,
                                     const AbstractValue &Value,
                                     llvm::ArrayRef<AxisId> Span) {
  if (reduces(T.K) && Value.IsGradient)
    for (AxisId A : Span)
      noteReduced(1u << A);
}

/// What is known of the gradient of a tensor that is \p A, with the gradient
/// \p OfA, on one path and \p B on the other. Null: nobody asked for it.
std::optional<AbstractValue> FunctionAnalysis::joinGradients(
    const AbstractValue &A, const AbstractValue *OfA, const AbstractValue &B,
    const AbstractValue *OfB) {
  if (!OfA && !OfB)
    return std::nullopt;
  const Origin *From = origin(Origin::Kind::Gradient, PlaceId::None, {});
  return join(OfA ? *OfA : dualOf(A, From), OfB ? *OfB : dualOf(B, From));
}

/// The gradients of what the caller passed, at the exit.
void FunctionAnalysis::summariseGradients(llvm::ArrayRef<CellId> Passed,
                                          Summary &Out) {
  Out.RunsBackward = RunsBackward;
  Out.ReducedGradients = ReducedGradients;
  for (unsigned I = 0; I != Passed.size(); ++I) {
    const AbstractValue *Gradient = gradientOf(*Current, Passed[I]);
    Out.ExitCells[I].Gradient = C.Cells[I].Gradient;
    if (!Gradient)
      continue;
    const auto *Given = llvm::find(Passed, contents(Passed[I])->Gradient);
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

/// What a callee left of the gradients of \p Passed.
void FunctionAnalysis::takeGradients(
    const Summary &S, llvm::ArrayRef<CellId> Passed,
    llvm::function_ref<AbstractValue(AbstractValue)> Here) {
  noteReduced(S.ReducedGradients);
  if (S.RunsBackward)
    forgetGradients();
  for (const Summary::Gradient &G : S.Gradients) {
    CellId Id = G.Alias >= 0 ? Passed[G.Alias] : NoCell;
    if (Id == NoCell) {
      const auto [It, New] = GradientCells.try_emplace(
          std::pair(CurrentFactCell, G.Of), NextMergeCell);
      NextMergeCell += New;
      Id = It->second;
      put(Id, Here(G.Value));
    }
    AbstractValue Primal = *contents(Passed[G.Of]);
    Primal.Gradient = Id;
    put(Passed[G.Of], std::move(Primal));
  }
}

} // namespace spmd::rules::inference
