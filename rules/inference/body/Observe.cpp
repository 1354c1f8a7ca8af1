//===- Observe.cpp - What is told of a function's types -------------------===//

#include "Observe.h"

#include "spmd/ir/Walk.h"

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

static TypedSlot describe(Body &In, const AbstractValue &Value) {
  TypedSlot Out;
  Out.In = &In.F;
  Out.ByItself = In.E.isByItself(In.F);
  for (AxisId A = 0; A != Value.Axes.size(); ++A) {
    const AxisState &Is = Value.Axes[A];
    Out.Types.emplace_back(In.E.universe().name(A), Is.type());
    Out.From.push_back(Is.From ? *Is.From : Origin());
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
  return Out;
}

/// Tells the observer the type of \p Slot at this point.
static void observe(Body &In, SlotId Slot, PlaceId At, TypedSlot::Role As,
                    const Fact *Of) {
  const auto *Observer = In.E.typeObserver();
  if (!Observer || Slot == SlotId::None)
    return;
  const AbstractValue &Value = In.Store.read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  TypedSlot Out = describe(In, Value);
  Out.As = As;
  Out.At = At;
  Out.Slot = Slot;
  Out.Of = Of;
  (*Observer)(Out);
}

/// Whether one type is said on an axis; of replicas, gradients may be open,
/// shares are sums if they are used so, and zeros are all three.
static bool isSaid(const AxisState &Is) {
  return Is.Set.isSingle() || (Is.Set.contains(LocalType::R) &&
                               Is.Set.subsetOf(typesOf(SourceKind::Zero)));
}

static void noteKnown(Body &In, SlotId Slot, PlaceId At) {
  if (Slot == SlotId::None || At == PlaceId::None ||
      In.E.options().OnlyFindings)
    return;
  const AbstractValue &Value = In.Store.read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  KnownTypes &Known = In.E.known(In.F, At);
  Known.IsNumber |= Value.Number;
  std::uint32_t Differs = 0;
  for (AxisId A = 0; A != Value.Axes.size(); ++A) {
    if (isSaid(Value.Axes[A]) || Value.Undefined ||
        (Value.Spec && Value.Spec->dimOf(A)))
      Known.Typed |= 1u << A;
    if (!Value.Undefined && Value.Axes[A].May.empty() &&
        Value.Axes[A].Set.subsetOf(LocalType::V | LocalType::P))
      Differs |= 1u << A;
  }
  Known.Differs &= Differs;
}

void observeParameters(Body &In) {
  if (!In.Report.isOn())
    return;
  for (std::uint32_t I = 0; I != In.F.NumParameters; ++I)
    if (In.F.Slots[I].Declared)
      observe(In, SlotId(I), In.F.Slots[I].DeclaredAt, TypedSlot::Role::Made,
              nullptr);
}

void observe(Body &In, const Fact &X) {
  if (!In.Report.isOn())
    return;
  const SlotId Made = definedBy(X);
  observe(In, Made, placeOf(X), TypedSlot::Role::Made, &X);
  noteKnown(In, Made, placeOf(X));
}

/// Notes what is known of a gradient by which \p O changes what is none.
static void noteUpdate(Body &In, const OpFact &O) {
  if (!In.Report.isOn() || O.WritesTo == SlotId::None ||
      O.Rule->is(OpRole::Copies) || In.Store.read(O.WritesTo).IsGradient)
    return;
  AxisList All;
  for (AxisId A = 0; A != In.E.universe().size(); ++A)
    All.push_back(A);
  for (const Operand &X : O.Operands)
    if (X.Slot != SlotId::None && In.Store.read(X.Slot).IsGradient)
      noteGiven(In, O.At, In.Store.read(X.Slot), All);
}

void observeTaken(Body &In, const Fact &X) {
  if (const auto *O = std::get_if<OpFact>(&X))
    noteUpdate(In, *O);
  if (In.Report.isOn() && In.E.typeObserver())
    forEachOperand(X, [&](const Operand &O) {
      observe(In, O.Slot, O.At, TypedSlot::Role::Taken, &X);
    });
}

/// Tells what \p Value, unless it is wrong or as it was before, must be.
static void observeSignature(Body &In, const AbstractValue *Value, SlotId Slot,
                             PlaceId At, TypedSlot::Role As) {
  if (!Value || Value->Undefined || !Value->Span.empty())
    return;
  TypedSlot Out = describe(In, *Value);
  Out.As = As;
  Out.Slot = Slot;
  Out.At = At;
  for (AxisId A = 0; A != Value->Axes.size(); ++A)
    if (Value->Axes[A].Assumed || !Value->Axes[A].May.empty())
      Out.Types[A].second = AxisType();
  (*In.E.typeObserver())(Out);
}

void observeSignature(Body &In, const State &Exit) {
  if (!In.Report.isOn() || !In.E.typeObserver() || !In.E.isByItself(In.F))
    return;
  for (std::uint32_t I = 0; I != In.F.NumParameters; ++I) {
    const CellId Id = In.Start.cellOf(I);
    if (!In.F.Slots[I].Declared && !In.Log.isWritten(Id))
      observeSignature(In, Exit.contents(Id), SlotId(I),
                       In.F.Slots[I].DeclaredAt, TypedSlot::Role::Parameter);
  }
  const std::uint32_t Returned = In.Numbers.returnSlot();
  if (const CellId Id = Exit.cellOf(Returned); Id != Returned)
    observeSignature(In, Exit.contents(Id), SlotId::None, In.F.ResultAt,
                     TypedSlot::Role::Returned);
}

void noteGiven(Body &In, PlaceId At, const AbstractValue &Value,
               llvm::ArrayRef<AxisId> Span) {
  if (!In.Report.isOn() || In.E.options().OnlyFindings)
    return;
  KnownTypes &Known = In.E.known(In.F, At);
  for (AxisId A : Span) {
    Known.Over |= 1u << A;
    if (Value.Undefined || isSaid(Value.Axes[A]))
      Known.Given |= 1u << A;
  }
}

} // namespace spmd::rules::inference
