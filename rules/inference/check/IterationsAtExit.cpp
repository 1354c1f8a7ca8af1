//===- IterationsAtExit.cpp - What a loop without a round leaves ----------===//

#include "Exits.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// What is declared to be the same on every rank and is not at the end, where
/// only a loop that has no round leaves it so.
void Exits::checkIterations() {
  if (!endsHere())
    return;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const bool IsPassed = S.Kind == SlotKind::Parameter;
    if (!S.Declared || (!IsPassed && !S.Outermost && !isFieldAtEnd(I)))
      continue;
    if (IsPassed) {
      if (const AbstractValue *Now = Store.contents(In.Start.cellOf(I)))
        checkIterations(I, In.Start.cellOf(I), *Now);
      continue;
    }
    for (const auto &[Id, Now] : endsOf(SlotId(I)))
      checkIterations(I, Id, Now);
  }
}

/// The storage that \p Slot names at last, and what that holds; if it is freed
/// there, that which it named before.
llvm::SmallMapVector<CellId, AbstractValue, 2>
Exits::endsOf(SlotId Slot) const {
  llvm::SmallMapVector<CellId, AbstractValue, 2> Out;
  const CellId Last = Point.Now->cellOf(index(Slot));
  const AbstractValue *Now = Store.contents(Last);
  if (!Now)
    return Out;
  for (const State &S : In.Entries) {
    const CellId Id = S.cellOf(index(Slot));
    const AbstractValue *Was =
        Now->Undefined && S.Reached ? S.contents(Id) : nullptr;
    if (Was && !Was->Undefined)
      Out[Id] = *Was;
  }
  Out.insert({Last, *Now});
  return Out;
}

/// The same of \p Id, which is declared as slot number \p Number and holds
/// \p Now.
void Exits::checkIterations(std::uint32_t Number, CellId Id,
                            const AbstractValue &Now) {
  const Slot &S = F.Slots[Number];
  const TypeSet Replicas = LocalType::R | LocalType::I;
  if (Now.Wrong || Report.Excused.contains(Id))
    return;
  AbstractValue Diverged = Decls.unknownValue(), Believed = Now;
  const bool ByLoop = In.ChangedByLoops.contains(Id);
  for (AxisId A = 0; A != Now.Axes.size(); ++A)
    if (const TypeSet Is = Now.Axes[A].Set;
        !Is.isAll() && (ByLoop || !(Is & Replicas).empty()))
      if (const auto Left = In.Log.divergedAtExit(Id, A, In.Entries)) {
        Diverged.Axes[A] = *Left;
        Believed.Axes[A] = AxisState();
      }
  if (S.Kind == SlotKind::Field && Objects.isMadeHere(SlotId(Number)))
    keepLasting(Diverged, Now);
  if (S.Kind != SlotKind::Field || !isSaidElsewhere(SlotId(Number), Diverged))
    checkReplica(S, Id, Diverged);
  if (ByLoop) // one mistake, one finding
    Store.put(Id, std::move(Believed));
}

/// Whether it is said of another name of \p Field, which is \p Now, that it is
/// not what it is declared to be.
bool Exits::isSaidElsewhere(SlotId Field, const AbstractValue &Now) const {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  const auto IsSaid = [&](SlotId Other, AxisId A) {
    if ((Store.read(Other).Axes[A].Set & Replicas).empty())
      return true;
    return llvm::any_of(endsOf(Other), [&](const auto &End) {
      return !End.second.Wrong && !Report.Excused.contains(End.first) &&
             In.Log.divergedAtExit(End.first, A, In.Entries).has_value();
    });
  };
  return llvm::any_of(Objects.otherNames(Field), [&](SlotId Other) {
    if (!F.slot(Other).Declared || F.slot(Other).Declared->Exit ||
        !isFieldAtEnd(index(Other)) || Store.read(Other).Undefined)
      return false;
    for (AxisId A = 0; A != Now.Axes.size(); ++A)
      if ((Now.Axes[A].Set & Replicas).empty() && !IsSaid(Other, A))
        return false;
    return true;
  });
}

} // namespace spmd::rules::inference
