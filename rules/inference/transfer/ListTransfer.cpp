//===- ListTransfer.cpp - What is put into lists --------------------------===//

#include "Transfers.h"

namespace spmd::rules::inference {

/// A handle to \p Member is put into \p List; of a list of structs, what the
/// struct has is one of those that all have there: the first one in a list that
/// is made here.
void Transfers::joinList(SlotId List, SlotId Member) {
  const bool IsNew = Store.contents(Store.cellOf(List))->Undefined;
  Store.joinList(Store.cellOf(List), Store.cellOf(Member));
  if (F.slot(List).IsTensor)
    return;
  for (SlotId Of : In.Facts.Objects.fieldsOf(Member))
    for (SlotId All : In.Facts.Objects.fieldsOf(List)) {
      if (F.slot(All).Member != F.slot(Of).Member)
        continue;
      const CellId Id = Store.cellOf(All);
      if (AbstractValue Is = *Store.contents(Id);
          IsNew && Is.Untouched && F.slot(All).Declared) {
        Is.Undefined = true;
        Store.put(Id, std::move(Is));
      }
      joinList(All, Of);
    }
}

/// `info[i].tensor = tensors[i]`: the member of all elements is that list, as
/// each is one of it; of several lists it has some of each.
void Transfers::pairLists(const BindFact &B) {
  const ListMembers &Lists = In.Facts.InLists;
  const SlotId All = Lists.of(B.Dst).Slot;
  if (All == SlotId::None || Lists.pairedBy(All) != All ||
      !Store.wholesOf(Store.cellOf(B.Dst)).contains(Store.cellOf(All)))
    return;
  const auto Both = Lists.pairedBy(B);
  if (!Both || !Lists.isOfOneList(All) ||
      Store.cellOf(Both->second) != Store.cellOf(B.Src.Slot)) {
    // The list has a slot for each member; what names one of it need not.
    const SlotId From = Lists.of(B.Src.Slot).Slot;
    return joinList(All, From == SlotId::None ? B.Src.Slot : From);
  }
  Store.repoint(All, Store.cellOf(Both->second));
  Store.bindFields(All, Both->second, /*Refers=*/true);
}

} // namespace spmd::rules::inference
