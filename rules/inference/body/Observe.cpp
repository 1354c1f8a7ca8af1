//===- Observe.cpp - What is told of a function's types -------------------===//

#include "Observe.h"

namespace spmd::rules::inference {

/// The slot whose contents a fact makes; literals say nothing worth a line.
static SlotId definedBy(const Fact &F) {
  if (const auto *D = std::get_if<DefineFact>(&F))
    if (D->K == DefineFact::Kind::Constant || D->K == DefineFact::Kind::Zero)
      return SlotId::None;
  if (const auto *O = std::get_if<OpFact>(&F))
    return O->Dst == SlotId::None ? O->WritesTo : O->Dst;
  if (const auto *T = std::get_if<TransferFact>(&F))
    return T->Dst == SlotId::None ? T->Out.Slot : T->Dst;
  return std::visit(
      [](const auto &X) {
        if constexpr (requires { X.Dst; })
          return X.Dst;
        else
          return SlotId::None;
      },
      F);
}

/// Tells the dump the type of \p Slot at this point.
static void observe(Body &In, SlotId Slot, PlaceId At) {
  const auto *Observer = In.E.typeObserver();
  if (!Observer || Slot == SlotId::None)
    return;
  const AbstractValue &Value = In.Store.read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  TypedSlot Out;
  Out.In = &In.F;
  Out.At = At;
  Out.Slot = Slot;
  for (AxisId A = 0; A != Value.Axes.size(); ++A) {
    const AxisState &Is = Value.Axes[A];
    Out.Types.emplace_back(In.E.universe().name(A), Is.type());
    // No code on this mesh decides what it is on the axes of another.
    if (In.Decls.mesh() && !In.Decls.mesh()->find(In.E.universe().name(A)) &&
        Is.Set.size() != 1)
      Out.Types.back().second = AxisType();
    if (Value.Spec)
      if (const std::optional<unsigned> D = Value.Spec->dimOf(A))
        Out.Types.back().second.ShardDim = static_cast<int>(*D);
  }
  if (Value.Spec)
    Out.Spec = printSpec(*Value.Spec, In.Decls.Sizes);
  (*Observer)(Out);
}

/// Whether one type is said on an axis; of replicas, gradients may be open, and
/// shares are sums if they are used so.
static bool isSaid(const AxisState &Is) {
  return Is.Set.isSingle() || Is.Set.subsetOf(LocalType::R | LocalType::I) ||
         Is.Set == (LocalType::R | LocalType::P);
}

static void noteKnown(Body &In, SlotId Slot, PlaceId At) {
  if (Slot == SlotId::None || At == PlaceId::None)
    return;
  const AbstractValue &Value = In.Store.read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  KnownTypes &Known = In.E.known(In.F, At);
  Known.IsNumber |= Value.Number;
  for (AxisId A = 0; A != Value.Axes.size(); ++A)
    if (isSaid(Value.Axes[A]) || Value.Undefined ||
        (Value.Spec && Value.Spec->dimOf(A)))
      Known.Typed |= 1u << A;
}

void observeParameters(Body &In) {
  if (!In.Report.isOn())
    return;
  for (std::uint32_t I = 0; I != In.F.NumParameters; ++I)
    if (In.F.Slots[I].Declared)
      observe(In, SlotId(I), In.F.Slots[I].DeclaredAt);
}

void observe(Body &In, const Fact &X) {
  if (!In.Report.isOn())
    return;
  const SlotId Made = definedBy(X);
  observe(In, Made, placeOf(X));
  noteKnown(In, Made, placeOf(X));
}

void noteGiven(Body &In, PlaceId At, const AbstractValue &Value,
               llvm::ArrayRef<AxisId> Span) {
  if (!In.Report.isOn())
    return;
  KnownTypes &Known = In.E.known(In.F, At);
  for (AxisId A : Span) {
    Known.Over |= 1u << A;
    if (Value.Undefined || isSaid(Value.Axes[A]))
      Known.Given |= 1u << A;
  }
}

} // namespace spmd::rules::inference
