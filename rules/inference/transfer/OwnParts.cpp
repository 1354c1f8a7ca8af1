//===- OwnParts.cpp - What each rank takes at its own place ---------------===//

#include "OwnParts.h"

namespace spmd::rules::inference {

OwnTerms ownTermsAt(const AxisState &Offset, const AxisState &Whole) {
  const bool IsOwn = Whole.Own != OwnTerms::No;
  if (Offset.Own != OwnTerms::No) {
    // Zeros are no sum yet.
    const bool MayBeSum = Whole.Set.contains(LocalType::P) &&
                          !Whole.Set.isAll() && !Whole.Constant;
    if (MayBeSum && !IsOwn)
      return OwnTerms::No;
    const bool IsTaken =
        Offset.Own == OwnTerms::Taken || Offset.Own == OwnTerms::OfTaken;
    return IsTaken ? OwnTerms::OfTaken : OwnTerms::Whole;
  }
  if (Whole.isSurely(LocalType::V))
    return Whole.Own == OwnTerms::Whole  ? OwnTerms::Slice
           : Whole.Own == OwnTerms::Data ? OwnTerms::No
                                         : Whole.Own;
  const bool IsShared = Whole.Set.subsetOf(LocalType::R | LocalType::I);
  return IsShared || Whole.Set.isAll() ? OwnTerms::Taken : OwnTerms::No;
}

void takeOwn(AbstractValue &Part, AxisMask Varies) {
  for (AxisId A = 0; A != Part.Axes.size(); ++A)
    if (Varies & 1u << A && Part.Axes[A].Set.isAll()) {
      Part.Axes[A] = AxisState::of(LocalType::V, Part.Axes[A].From);
      Part.Axes[A].Own = OwnTerms::Taken;
    }
}

} // namespace spmd::rules::inference
