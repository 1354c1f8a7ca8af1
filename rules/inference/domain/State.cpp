//===- State.cpp - What is known at a program point -----------------------===//

#include "State.h"

namespace spmd::rules::inference {

void State::name(std::uint32_t Slot, CellId Id) {
  const CellId Old = cellOf(Slot);
  if (Old == Id)
    return;
  if (Id == Slot) {
    Slots.erase(Slot);
  } else {
    Slots.set(Slot, Id);
    use(Id);
  }
  if (Old != Slot)
    unuse(Old);
}

void State::use(CellId Id) {
  const std::uint32_t *Count = Uses.find(Id);
  Uses.set(Id, Count ? *Count + 1 : 1);
}

void State::unuse(CellId Id) {
  const std::uint32_t Count = *Uses.find(Id);
  Count == 1 ? Uses.erase(Id) : Uses.set(Id, Count - 1);
}

void State::setViewed(CellId View, CellId Whole, bool Is) {
  if (Whole == NoCell || Whole == View)
    return;
  const CellSet *Known = Views.find(Whole);
  CellSet Now = Known ? *Known : CellSet();
  if (Is)
    Now.set(View, true);
  else
    Now.erase(View);
  Now.empty() ? Views.erase(Whole) : Views.set(Whole, std::move(Now));
}

void State::put(CellId Id, AbstractValue V) {
  const AbstractValue *Old = contents(Id);
  const CellId Whole = Old ? Old->Whole : NoCell,
               Gradient = Old ? Old->Gradient : NoCell;
  if (V.Whole != Whole) {
    setViewed(Id, Whole, false);
    setViewed(Id, V.Whole, true);
  }
  if (V.Gradient != Gradient) {
    if (V.Gradient != NoCell)
      use(V.Gradient);
    if (Gradient != NoCell)
      unuse(Gradient);
  }
  Cells.set(Id, ValueRef(new SharedValue(std::move(V), *Values)));
}

llvm::SmallVector<CellId, 4> State::viewsOf(CellId Whole) const {
  llvm::SmallVector<CellId, 4> Out;
  if (const CellSet *Known = Views.find(Whole))
    Known->forEach([&](CellId View, bool) { Out.push_back(View); });
  return Out;
}

void State::release(CellId Id) {
  while (Id != NoCell && Id >= NumOwn && !isSeen(Id)) {
    const ValueRef Was = share(Id);
    if (!Was)
      return;
    Cells.erase(Id);
    setViewed(Id, Was->Whole, false);
    if (Was->Gradient != NoCell) {
      unuse(Was->Gradient);
      release(Was->Gradient);
    }
    Id = Was->Whole;
  }
}

} // namespace spmd::rules::inference
