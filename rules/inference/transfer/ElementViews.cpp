//===- ElementViews.cpp - Structs that are elements of arrays -------------===//

#include "ElementViews.h"

#include "OwnParts.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

AxisState elementOf(const AbstractValue &All, AxisId A) {
  return All.VariesInRegion & 1u << A && All.Axes[A].isSurely(LocalType::V)
             ? AxisState()
             : All.Axes[A];
}

void bindElement(Body &In, SlotId Dst, SlotId Of, const ElementView &As) {
  Storage &Store = In.Store;
  const auto MemberOf = [&](SlotId S) { return In.F.slot(S).Member; };
  const llvm::ArrayRef<SlotId> All = In.Facts.Objects.fieldsOf(Of);
  for (SlotId Field : In.Facts.Objects.fieldsOf(Dst)) {
    const auto *Match = llvm::find_if(
        All, [&](SlotId S) { return MemberOf(S) == MemberOf(Field); });
    if (Match == All.end())
      continue;
    const CellId Whole = Store.cellOf(*Match), Own = index(Field);
    if (const AbstractValue *Is = Store.contents(Store.cellOf(Field));
        As.IsPlace && Is && Is->Apart && Is->Whole == Whole) {
      AbstractValue Now = *Is;
      Now.Some = As.IsSome;
      Store.put(Store.cellOf(Field), std::move(Now));
    } else if (!As.Varies && !As.IsSome && !As.IsPlace) {
      Store.repoint(Field, Whole);
    } else if (Own != Whole) {
      AbstractValue Part = *Store.contents(Whole);
      Part.Whole = Whole;
      Part.Varies = As.Varies;
      Part.MayVary = 0;
      Part.PromisedAlike &= ~As.Varies;
      Part.Some = As.IsSome;
      Part.Apart = As.IsPlace;
      Part.Holds.clear();
      for (AxisId A = 0; A != Part.Axes.size(); ++A)
        Part.Axes[A] = partOf(As.IsPlace  ? regionOf(Part, A)
                              : As.IsSome ? elementOf(Part, A)
                                          : Part.Axes[A],
                              As.Varies & 1u << A, /*MayVary=*/false, nullptr);
      if (As.IsPlace)
        Part.VariesInRegion = 0;
      takeOwn(Part, As.Varies);
      Store.repoint(Field, Own);
      Store.put(Own, std::move(Part));
    }
    bindElement(In, Field, *Match, As);
  }
}

} // namespace spmd::rules::inference
