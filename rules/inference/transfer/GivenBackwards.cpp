//===- GivenBackwards.cpp - Backward passes of the program's own ----------===//

#include "GivenBackwards.h"

namespace spmd::rules::inference {

/// The element \p Number of the list that \p Of names in \p F.
static SlotId elementOf(const Function &F, SlotId Of, std::size_t Number) {
  const std::string Member = "[" + std::to_string(Number) + "]";
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Kind == SlotKind::Field && F.Slots[I].Base == Of &&
        F.Slots[I].Member == Member)
      return SlotId(I);
  return SlotId::None;
}

SlotId gradientSlot(const Function &Backward, std::size_t Input) {
  for (std::uint32_t I = 0; I != Backward.Slots.size(); ++I)
    if (Backward.Slots[I].Kind == SlotKind::Result)
      return elementOf(Backward, SlotId(I), Input);
  return SlotId::None;
}

/// What the gradient of an input may be as a value. Equal values are that of
/// an I and, as they are, each rank's own; each rank's part may be anything
/// that is not the same, or a sum, already.
static TypeSet legalGradients(TypeSet Input) {
  TypeSet Out;
  if (Input.contains(LocalType::R))
    Out |= LocalType::P | LocalType::V;
  if (Input.contains(LocalType::I) || Input.contains(LocalType::P))
    Out |= LocalType::R | LocalType::I;
  if (Input.contains(LocalType::V))
    Out |= LocalType::R | LocalType::I | LocalType::V;
  return Out;
}

GivenBackwards::Trial
GivenBackwards::attempt(const CallFact &Call, const Function &Pass,
                        llvm::SmallVector<TypeSet, 4> Output,
                        bool Report) const {
  CallTransfer::Passed To = Calls.pass(Pass, Call);
  const SlotId Taken = elementOf(Pass, SlotId(1), 0);
  for (auto [Slot, Index] : To.Inner.CellOf)
    if (SlotId(Slot) == Taken) {
      AbstractValue Gradient = In.Decls.unknownValue();
      Gradient.IsGradient = true;
      const Origin *From = In.Decls.origin(Origin::Kind::Gradient, Call.At, {});
      for (AxisId A = 0; A != Output.size(); ++A)
        if (!Output[A].isAll())
          Gradient.Axes[A] =
              AxisState::of(invariantAsReplicate(dual(Output[A])), From);
      To.Inner.Cells[Index] = Calls.inside(std::move(Gradient), To);
    }
  const Summary *S =
      In.E.summarise(Pass, To.Inner, Report, Site{&In.F, Call.At});
  Trial Out{std::move(Output), {}, {}};
  Out.Leaves.resize(Call.Backward->Inputs.size());
  for (std::size_t I = 0; S && !S->IsOffWay && I != Out.Leaves.size(); ++I) {
    const SlotId Slot = gradientSlot(Pass, I);
    for (const Summary::Rebinding &R : S->Rebindings)
      if (SlotId(R.Slot) == Slot)
        Out.Leaves[I] =
            Calls.outside(R.Alias >= 0 ? S->ExitCells[R.Alias] : R.Value, To);
  }
  judge(Call, Out);
  return Out;
}

/// What becomes of it if \p Left is the gradient of what is \p Input.
static bool isUnfit(const AxisState &Input, const AxisState &Left) {
  if (Input.Set.isAll() || Left.Set.isAll())
    return false;
  // Nobody means to count what all ranks have once per rank.
  return Left.SumOfReplicas || (Left.Set & legalGradients(Input.Set)).empty();
}

void GivenBackwards::forEachGradient(
    const CallFact &Call, const Trial &T,
    llvm::function_ref<void(std::size_t, const AbstractValue &,
                            const AbstractValue *)>
        Visit) const {
  for (std::size_t I = 0; I != T.Leaves.size(); ++I) {
    const Operand &Given = Call.Backward->Inputs[I];
    if (Given.Slot == SlotId::None)
      continue;
    const AbstractValue &Input = Store.read(Given.Slot);
    // An undefined one says that there is no gradient.
    if (!Input.Undefined && !(T.Leaves[I] && T.Leaves[I]->Undefined))
      Visit(I, Input, T.Leaves[I] ? &*T.Leaves[I] : nullptr);
  }
}

void GivenBackwards::judge(const CallFact &Call, Trial &T) const {
  T.Fits.assign(T.Output.size(), Fit::Yes);
  forEachGradient(
      Call, T,
      [&](std::size_t, const AbstractValue &Input, const AbstractValue *Left) {
        for (AxisId A = 0; A != T.Fits.size(); ++A) {
          const bool Known =
              Left && !Left->Axes[A].Set.isAll() && !Input.Axes[A].Set.isAll();
          const Fit Here = !Known ? Fit::Unknown
                           : isUnfit(Input.Axes[A], Left->Axes[A]) ? Fit::No
                                                                   : Fit::Yes;
          T.Fits[A] = std::min(T.Fits[A], Here);
        }
      });
}

void GivenBackwards::tellUnfit(const CallFact &Call, const Function &Pass,
                               const Trial &T, AxisId A) const {
  bool Told = false;
  forEachGradient(
      Call, T,
      [&](std::size_t I, const AbstractValue &Input,
          const AbstractValue *Left) {
        if (Told || !Left || !isUnfit(Input.Axes[A], Left->Axes[A]))
          return;
        Told = true;
        tell(In, UnfitGradient{Call, Pass, A, I, Input.Axes[A], Left->Axes[A]});
      });
}

void GivenBackwards::run(const CallFact &Call, const Function &Pass) {
  constexpr TypeSet Same = LocalType::R | LocalType::I;
  AbstractValue Out = Store.read(Call.Backward->Output.Slot);
  static_cast<ViewPosition &>(Out) = {};
  Out.Gradient = NoCell;
  Out.Untouched = false;
  std::vector<Trial> Trials;
  for (LocalType As : {LocalType::I, LocalType::R}) {
    llvm::SmallVector<TypeSet, 4> Types;
    for (const AxisState &A : Out.Axes)
      Types.push_back(A.Set.subsetOf(Same) ? TypeSet(As)
                      : A.Set.isSingle()   ? A.Set
                                           : TypeSet::all());
    Trials.push_back(attempt(Call, Pass, std::move(Types), /*Report=*/false));
  }
  const Origin *From =
      In.Decls.origin(Origin::Kind::Backward, Call.At, Pass.DisplayName);
  llvm::SmallVector<TypeSet, 4> Chosen;
  for (AxisId A = 0; A != Out.Axes.size(); ++A) {
    const TypeSet Was = Out.Axes[A].Set;
    Fit Best = Fit::No;
    for (const Trial &T : Trials)
      Best = std::max(Best, T.Fits[A]);
    TypeSet Left;
    for (const Trial &T : Trials)
      if (T.Fits[A] == Best)
        Left |= T.Output[A];
    Chosen.push_back(Left);
    if (Best == Fit::No && !Out.Undefined) {
      tellUnfit(Call, Pass, Trials.back(), A);
      Out.Axes[A] = AxisState();
    } else if (Was.subsetOf(Same) && Left != Was) {
      Out.Axes[A] = AxisState::of(Left, From);
    }
  }
  if (In.Point.Reporting)
    attempt(Call, Pass, std::move(Chosen), /*Report=*/true);
  Store.define(Call.Dst, std::move(Out));
}

} // namespace spmd::rules::inference
