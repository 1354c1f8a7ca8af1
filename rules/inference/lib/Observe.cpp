//===- Observe.cpp - What is told of a function's types -------------------===//
//
// Each definition's type, for --dump-types, and whether there is one at all,
// for the coverage of a run.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

namespace spmd::rules::inference {

void FunctionAnalysis::observeParameters() {
  for (std::uint32_t I = 0; I != F.NumParameters; ++I)
    if (F.Slots[I].Declared)
      observe(SlotId(I), F.Slots[I].DeclaredAt);
}

/// Tells the dump the type of \p Slot at this point.
void FunctionAnalysis::observe(SlotId Slot, PlaceId At) {
  const auto *Observer = E.typeObserver();
  if (!Observer || Slot == SlotId::None)
    return;
  const AbstractValue &Value = read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  TypedSlot Out;
  Out.In = &F;
  Out.At = At;
  Out.Slot = Slot;
  for (AxisId A = 0; A != Value.Axes.size(); ++A) {
    const AxisState &Is = Value.Axes[A];
    Out.Types.emplace_back(E.universe().name(A), Is.type());
    // No code on this mesh decides what it is on the axes of another.
    if (mesh() && !mesh()->find(E.universe().name(A)) && Is.Set.size() != 1)
      Out.Types.back().second = AxisType();
    if (Value.Spec)
      if (const std::optional<unsigned> D = Value.Spec->dimOf(A))
        Out.Types.back().second.ShardDim = static_cast<int>(*D);
  }
  if (Value.Spec)
    Out.Spec = printSpec(*Value.Spec, Sizes);
  (*Observer)(Out);
}

/// Whether one type is said on an axis; of replicas, gradients may be open.
static bool isSaid(const AxisState &Is) {
  return Is.Set.isSingle() || Is.Set.subsetOf(LocalType::R | LocalType::I);
}

void FunctionAnalysis::noteKnown(SlotId Slot, PlaceId At) {
  if (Slot == SlotId::None || At == PlaceId::None)
    return;
  const AbstractValue &Value = read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  KnownTypes &Known = E.known(F, At);
  Known.IsNumber |= Value.Number;
  for (AxisId A = 0; A != Value.Axes.size(); ++A)
    if (isSaid(Value.Axes[A]) || Value.Undefined ||
        (Value.Spec && Value.Spec->dimOf(A)))
      Known.Typed |= 1u << A;
}

/// A collective over \p Span is given \p Value.
void FunctionAnalysis::noteGiven(PlaceId At, const AbstractValue &Value,
                                 llvm::ArrayRef<AxisId> Span) {
  KnownTypes &Known = E.known(F, At);
  for (AxisId A : Span) {
    Known.Over |= 1u << A;
    if (Value.Undefined || isSaid(Value.Axes[A]))
      Known.Given |= 1u << A;
  }
}

} // namespace spmd::rules::inference
