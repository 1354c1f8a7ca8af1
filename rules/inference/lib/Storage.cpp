//===- Storage.cpp - Slots, cells, aliases and parts ----------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

const Origin *FunctionAnalysis::origin(Origin::Kind K, PlaceId At,
                                       llvm::StringRef Text) {
  return E.arena().origin({&F, At, K, Text});
}

AbstractValue FunctionAnalysis::unknownValue() const {
  AbstractValue C;
  C.Axes.resize(E.universe().size());
  return C;
}

AbstractValue FunctionAnalysis::constantValue(TypeSet Set, PlaceId At,
                                              llvm::StringRef Text) {
  AbstractValue C = unknownValue();
  const Origin *From = origin(Origin::Kind::Constant, At, Text);
  for (AxisState &A : C.Axes)
    A = AxisState::constant(Set, From);
  return C;
}

AbstractValue FunctionAnalysis::declaredValue(const TypeSpec &T, PlaceId At,
                                              llvm::StringRef Subject,
                                              const MeshSpec *Of) {
  AbstractValue C = unknownValue();
  const Origin *From = origin(Origin::Kind::Declared, At, Subject);
  const std::vector<AxisState> Required = requirements(T, Of);
  for (std::size_t I = 0; I != Required.size(); ++I) {
    C.Axes[I] = Required[I];
    if (!Required[I].Set.isAll())
      C.Axes[I].From = From;
  }
  C.Spec = declaredSpec(T, Of);
  return C;
}

/// What a slot holds before the body touches it.
AbstractValue FunctionAnalysis::initialValue(const Slot &S) {
  AbstractValue C =
      S.Declared && !S.Declared->isOutput()
          ? declaredValue(S.Declared->Entry, S.DeclaredAt, S.Name, S.Mesh.get())
          : unknownValue();
  C.Undefined = S.Kind == SlotKind::Temporary ||
                (S.Kind == SlotKind::Local && !S.Declared);
  C.Untouched = !C.Undefined;
  C.Number = !S.Declared && IsNumber[&S - F.Slots.data()];
  C.Span = axesOf(S.DeclaredAxes, S.Mesh.get());
  if (C.Span.empty() && isAxisFormal(S))
    if (std::optional<AxisId> A = findAxis(S.Name))
      C.Span = {*A};
  return C;
}

CellId FunctionAnalysis::cellOf(SlotId Slot) {
  const CellId Id = Current->cellOf(index(Slot));
  if (!contents(Id))
    put(Id, Id < F.Slots.size() ? initialValue(F.Slots[Id]) : unknownValue());
  return Id;
}

const AbstractValue &FunctionAnalysis::read(SlotId Slot) {
  return *contents(cellOf(Slot));
}

void FunctionAnalysis::define(SlotId Slot, AbstractValue C) {
  if (Slot == SlotId::None)
    return;
  // A second round of a loop defines the same cell; whoever still names the
  // first round's storage keeps a type that covers both.
  if (const AbstractValue *Before = contents(CurrentFactCell)) {
    bool Shared = false;
    Current->forEachName([&](std::uint32_t Other, CellId Id) {
      Shared |= Id == CurrentFactCell && Other != index(Slot);
    });
    if (Shared)
      C = join(*Before, C);
  }
  put(CurrentFactCell, std::move(C));
  bind(Slot, CurrentFactCell);
}

void FunctionAnalysis::write(SlotId Slot, const AbstractValue &C,
                             bool Partial) {
  writeCell(cellOf(Slot), C, Partial);
}

/// \p From is the view of it, or what it is a view of, that was written.
void FunctionAnalysis::writeCell(CellId Id, const AbstractValue &Value,
                                 bool Partial, CellId From) {
  if (From == NoCell)
    Spread.clear();
  if (!spreadsTo(Id, Value, Partial))
    return;
  const AbstractValue Old = *contents(Id);
  AbstractValue New = Partial && !Old.Undefined ? join(Old, Value) : Value;
  keepPlace(New, Old);
  New.Diverged |= Old.Diverged;
  New.Reconverged |= Old.Reconverged;
  for (AxisId A = 0; A != New.Axes.size() && !New.Undefined; ++A) {
    const TypeSet Replicas = LocalType::R | LocalType::I;
    const std::uint32_t Bit = 1u << A;
    if ((New.Axes[A].Set & Replicas).empty())
      New.Diverged |= Bit;
    else if (New.Axes[A].Set.subsetOf(Replicas))
      New.Reconverged |= New.Diverged & Bit;
  }
  if (Partial && From != NoCell) // perhaps, not in part
    noteChange(Id);
  else
    noteWrite(Id, Partial ? Value : New);
  put(Id, New);
  writeViews(Id, Old, New, From);
  writeWhole(Id, New, /*Partial=*/false);
  for (CellId Other : mayBe(Id))
    if (const AbstractValue *Now = contents(Other)) {
      const AbstractValue Before = *Now;
      AbstractValue Perhaps = join(Before, New);
      keepPlace(Perhaps, Before);
      noteChange(Other);
      put(Other, Perhaps);
      writeViews(Other, Before, Perhaps, From);
      writeWhole(Other, New, /*Partial=*/true);
    }
}

void FunctionAnalysis::bind(SlotId Slot, CellId Id) {
  const CellId Old = Current->cellOf(index(Slot));
  repoint(Slot, Id);
  if (NamesOf.empty() || Old == Id || F.slot(Slot).Kind != SlotKind::Field ||
      index(Slot) >= F.ObjectOf.size())
    return;
  const auto Names = NamesOf.find(index(F.ObjectOf[index(Slot)]));
  if (Names == NamesOf.end())
    return;
  // Names of one object named one storage so far.
  std::optional<llvm::SmallVector<CellId, 4>> Perhaps;
  for (SlotId Other : Names->second) {
    const CellId Theirs = Current->cellOf(index(Other));
    if (Other == Slot || F.slot(Other).Kind != SlotKind::Field)
      continue;
    if (Theirs == Old) {
      repoint(Other, Id);
      continue;
    }
    if (!Perhaps)
      Perhaps = mayBe(Old);
    if (llvm::is_contained(*Perhaps, Theirs))
      forget(Other);
  }
}

/// It is not known what \p Slot names.
void FunctionAnalysis::forget(SlotId Slot) {
  AbstractValue C = unknownValue();
  C.Span = axesOf(F.slot(Slot).DeclaredAxes, F.slot(Slot).Mesh.get());
  repoint(Slot, index(Slot));
  put(index(Slot), std::move(C));
}

SlotId FunctionAnalysis::nameOf(CellId Id, SlotId Slot) const {
  if (index(Slot) >= F.ObjectOf.size())
    return SlotId::None;
  const auto Names = NamesOf.find(index(F.ObjectOf[index(Slot)]));
  if (Names != NamesOf.end())
    for (SlotId Other : Names->second)
      if (Other != Slot && Current->cellOf(index(Other)) == Id)
        return Other;
  return SlotId::None;
}

/// After `a = b` the fields of a name what the fields of b name.
void FunctionAnalysis::bindFields(SlotId Dst, SlotId Src, bool Refers) {
  auto It = FieldsOf.find(index(Dst));
  if (It == FieldsOf.end())
    return;
  llvm::ArrayRef<SlotId> Sources;
  if (Src != SlotId::None) // None is the map's empty key
    if (auto S = FieldsOf.find(index(Src)); S != FieldsOf.end())
      Sources = S->second;
  for (SlotId Field : llvm::SmallVector<SlotId, 4>(It->second)) {
    const Slot &FS = F.slot(Field);
    const auto *Match = llvm::find_if(
        Sources, [&](SlotId S) { return F.slot(S).Member == FS.Member; });
    if (Match != Sources.end()) {
      const CellId Id = cellOf(*Match);
      Refers ? repoint(Field, Id) : bind(Field, Id);
      bindFields(Field, *Match, Refers);
      continue;
    }
    Refers ? repoint(Field, index(Field)) : bind(Field, index(Field));
    put(index(Field), initialValue(FS));
    bindFields(Field, SlotId::None, Refers);
  }
}

void FunctionAnalysis::narrow(SlotId Slot, AxisId A, TypeSet Set,
                              const Origin *Why) {
  const CellId Id = cellOf(Slot);
  const AbstractValue &Old = *contents(Id);
  const TypeSet Was = Old.Axes[A].Set;
  // R|I is a value without a gradient, a literal say: it fits each use anew.
  const TypeSet Replicas = LocalType::R | LocalType::I;
  if (Was == Set || (Replicas.subsetOf(Was) && !Was.isAll()))
    return;
  AbstractValue New = Old;
  if (New.Axes[A].Set.isAll() || !New.Axes[A].From)
    New.Axes[A].From = Why;
  New.Axes[A].narrowTo(Set);
  put(Id, std::move(New));
}

//===--- Facts about storage ----------------------------------------------===//

void FunctionAnalysis::transfer(const DefineFact &D) {
  using K = DefineFact::Kind;
  switch (D.K) {
  case K::Constant:
    define(D.Dst, constantValue(typesOf(SourceKind::Constant), D.At, {}));
    return;
  case K::Zero:
    define(D.Dst, constantValue(typesOf(SourceKind::Zero), D.At, {}));
    return;
  case K::Unknown:
    define(D.Dst, unknownValue());
    bindFields(D.Dst, SlotId::None);
    return;
  case K::Undefined: {
    AbstractValue C = unknownValue();
    C.Undefined = true;
    define(D.Dst, std::move(C));
    return;
  }
  case K::Declared:
    define(D.Dst, D.Type ? declaredValue(*D.Type, D.At, F.slot(D.Dst).Name,
                                         F.slot(D.Dst).Mesh.get())
                         : unknownValue());
    return;
  case K::RankOf: {
    const AxisList Span =
        D.Axis == SlotId::None ? AxisList() : read(D.Axis).Span;
    if (Span.empty())
      return define(D.Dst, unknownValue());
    AbstractValue C =
        constantValue(typesOf(SourceKind::Constant), D.At, "rank");
    for (AxisId A : Span)
      C.Axes[A] = C.Axes[A].as(LocalType::V);
    for (AxisId A : Span)
      (Span.size() > 1 ? C.RankOver : C.Counts) |= 1u << A;
    define(D.Dst, std::move(C));
    return;
  }
  case K::Axes: {
    AbstractValue C = unknownValue();
    C.Span = axesOf(D.AxisNames);
    define(D.Dst, std::move(C));
    return;
  }
  }
}

void FunctionAnalysis::transfer(const BindFact &B) {
  if (B.Joins)
    return joinList(cellOf(B.Dst), cellOf(B.Src.Slot));
  const CellId Id = cellOf(B.Src.Slot);
  B.Refers ? repoint(B.Dst, Id) : bind(B.Dst, Id);
  bindFields(B.Dst, B.Src.Slot, B.Refers);
}

void FunctionAnalysis::transfer(const HavocFact &H) {
  const Slot &S = F.slot(H.Slot);
  if (H.Gradients)
    return loseGradients(H.Slot);
  AbstractValue C = S.Declared
                        ? declaredValue(S.Declared->Exit ? *S.Declared->Exit
                                                         : S.Declared->Entry,
                                        S.DeclaredAt, S.Name, S.Mesh.get())
                        : unknownValue();
  if (H.Rebinds) {
    noteChange(cellOf(H.Slot));
    C.Span = axesOf(S.DeclaredAxes, S.Mesh.get());
    define(H.Slot, std::move(C));
    bindFields(H.Slot, SlotId::None);
    return loseGradients(H.Slot);
  }
  write(H.Slot, C, /*Partial=*/false);
}

void FunctionAnalysis::transfer(const ReturnFact &R) {
  LastReturn = R.At;
  if (R.Value.Slot == SlotId::None)
    return;
  if (F.Result)
    require(R.Value, requirements(F.Result->Entry),
            {Annotated::Return, F.DisplayName, F.ResultAt, &F,
             declaredSpec(F.Result->Entry)},
            R.At);
  repoint(SlotId(ReturnSlot), cellOf(R.Value.Slot));
}

} // namespace spmd::rules::inference
