//===- UnfitReads.cpp - Values that no rank has all of --------------------===//

#include "UnfitReads.h"

namespace spmd::rules::inference {

bool readsAtVaryingOffset(Body &In, const Operand &Value, AxisId A, PlaceId At,
                          llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  if (C.Undefined || !(C.PartialAtVaryingOffset & 1u << A) ||
      C.Axes[A].Set != TypeSet(LocalType::P))
    return false;
  tell(In, ReadAtVaryingOffset{Value, A, At, Op});
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
  tell(In, ReadModifiedDivergently{Value, A, At, Op});
  return true;
}

} // namespace spmd::rules::inference
