//===- UnfitReads.cpp - Values that no rank has all of --------------------===//

#include "UnfitReads.h"

namespace spmd::rules::inference {

bool readsAtVaryingOffset(Body &In, const Operand &Value, AxisId A, PlaceId At,
                          llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  if (C.Undefined || !(C.PartialAtVaryingOffset & 1u << A) ||
      C.Axes[A].Set != TypeSet(LocalType::P))
    return false;
  tell(In, ReadAtVaryingOffset{{Value, A, At, Op}});
  return true;
}

bool readsModifiedDivergently(Body &In, const Operand &Value, AxisId A,
                              bool Gradient, PlaceId At, llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  const AxisState &Is = C.Axes[A];
  const bool Sure = Is.Set == TypeSet(LocalType::V) && Is.May.empty();
  if (C.Undefined || !(C.ModifiedDivergently & 1u << A) ||
      !(Sure || In.E.options().Strict) ||
      (Is.Before == DivergedFrom::Invariant && !Gradient))
    return false;
  tell(In, ReadModifiedDivergently{{Value, A, At, Op}});
  return true;
}

void readAsPromised(Body &In, const Operand &Value, AxisId A, PlaceId At,
                    llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  const AxisState &Is = C.Axes[A];
  if (!C.Undefined && (C.PromisedAlike & 1u << A) && !C.Number &&
      Is.Before == DivergedFrom::Replicate && Is.isSurely(LocalType::V) &&
      !Is.Assumed)
    tell(In, ReadUnlikePromise{{Value, A, At, Op}});
}

} // namespace spmd::rules::inference
