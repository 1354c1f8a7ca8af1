//===- LeftBehind.cpp - Results that no member names any more -------------===//
//
// A function keeps what a member names in a local, lets the member stand for a
// buffer, and puts the first one back. Where it does that with one member and
// forgets another, what it leaves for the other one nobody finds.
//
//===----------------------------------------------------------------------===//

#include "Exits.h"

#include "passes/KeptNames.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// The local of \p F that keeps what \p Member names, for it alone; None if
/// there is none.
static SlotId keeperOf(const Function &F, SlotId Member) {
  SlotId Out = SlotId::None;
  for (const BindFact &B : factsOf<BindFact>(F))
    if (B.Src.Slot == Member && F.slot(B.Dst).Kind == SlotKind::Local)
      Out = B.Dst;
  if (Out == SlotId::None || F.slot(Out).Escapes)
    return SlotId::None;
  const auto GoesOn = [Out](const auto &X) { return X.Src.Slot == Out; };
  const auto IsKnown = [Out](const HavocFact &H) { return H.Slot != Out; };
  return llvm::none_of(factsOf<BindFact>(F), GoesOn) &&
                 llvm::all_of(factsOf<HavocFact>(F), IsKnown)
             ? Out
             : SlotId::None;
}

/// The last call that is given \p Kept, and so perhaps writes there.
static const CallFact *lastGiven(const Function &F, SlotId Kept) {
  const CallFact *Out = nullptr;
  for (const CallFact &Call : factsOf<CallFact>(F))
    if (llvm::any_of(Call.Arguments,
                     [Kept](const Operand &X) { return X.Slot == Kept; }))
      Out = &Call;
  return Out;
}

/// Whether code outside has a name of the storage \p Id where the function
/// ends.
bool Exits::isNamedOutside(CellId Id) const {
  if (Point.Now->cellOf(In.Numbers.returnSlot()) == Id)
    return true;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const SlotKind K = F.Slots[I].Kind;
    if (K == SlotKind::Local || K == SlotKind::Temporary)
      continue;
    const CellId Named = Point.Now->cellOf(I);
    if (Store.wholesOf(Named).contains(Id) ||
        Store.wholesOf(Id).contains(Named))
      return true;
  }
  return false;
}

/// Whether another member of the object of \p S is put back.
static bool putsBackOther(const Function &F, const Slot &S) {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const Slot &Other = F.Slots[I];
        &Other != &S && Other.Kind == SlotKind::Field && Other.Base == S.Base &&
        isPutBack(F, SlotId(I)))
      return true;
  return false;
}

void Exits::checkLeftBehind() {
  if (!Report.isOn())
    return;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const CellId Id = In.Start.cellOf(I);
    const AbstractValue *Left = Store.contents(Id);
    if (S.Kind != SlotKind::Field || Point.Now->cellOf(I) == Id || !Left ||
        Left->Undefined || !In.Log.isWritten(Id) || isNamedOutside(Id) ||
        isPutBack(F, SlotId(I)) || !putsBackOther(F, S))
      continue;
    const SlotId Kept = keeperOf(F, SlotId(I));
    const CallFact *By = Kept == SlotId::None ? nullptr : lastGiven(F, Kept);
    for (AxisId A = 0; By && A != Left->Axes.size(); ++A)
      if (Left->Axes[A].isSurely(LocalType::V)) {
        ContractClash Clash;
        Clash.On = Annotated::LeftBehind;
        Violation V = Report.violation(std::move(Clash), By->At, A, S.Name);
        V.Operands.push_back(
            Report.operandOf({SlotId(I), By->At}, AxisState()));
        Report.report(std::move(V));
        break;
      }
  }
}

} // namespace spmd::rules::inference
