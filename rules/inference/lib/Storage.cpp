//===- Storage.cpp - Slots, cells, aliases and parts ----------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

const Origin *FunctionAnalysis::origin(Origin::Kind K, PlaceId At,
                                       llvm::StringRef Text) {
  return E.arena().origin({&F, At, K, Text});
}

Cell FunctionAnalysis::unknownCell() const {
  Cell C;
  C.Axes.resize(E.universe().size());
  return C;
}

Cell FunctionAnalysis::constantCell(TypeSet Set, PlaceId At,
                                    llvm::StringRef Text) {
  Cell C = unknownCell();
  const Origin *From = origin(Origin::Kind::Constant, At, Text);
  for (AxisState &A : C.Axes)
    A = {Set, std::nullopt, From};
  return C;
}

Cell FunctionAnalysis::declaredCell(const TypeSpec &T, PlaceId At,
                                    llvm::StringRef Subject,
                                    const MeshSpec *Of) {
  Cell C = unknownCell();
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
Cell FunctionAnalysis::initialCell(const Slot &S) {
  Cell C =
      S.Declared && !S.Declared->isOutput()
          ? declaredCell(S.Declared->Entry, S.DeclaredAt, S.Name, S.Mesh.get())
          : unknownCell();
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
  const CellId Id = Current->Slots[index(Slot)];
  if (!Current->Cells.count(Id))
    put(Id, Id < F.Slots.size() ? initialCell(F.Slots[Id]) : unknownCell());
  return Id;
}

const Cell &FunctionAnalysis::read(SlotId Slot) {
  return *Current->Cells[cellOf(Slot)];
}

void FunctionAnalysis::define(SlotId Slot, Cell C) {
  if (Slot == SlotId::None)
    return;
  // A second round of a loop defines the same cell; whoever still names the
  // first round's storage keeps a type that covers both.
  auto It = Current->Cells.find(CurrentFactCell);
  if (It != Current->Cells.end()) {
    bool Shared = false;
    for (std::uint32_t I = 0; I != Current->Slots.size() && !Shared; ++I)
      Shared = Persistent[I] && I != index(Slot) &&
               Current->Slots[I] == CurrentFactCell;
    if (Shared)
      C = join(*It->second, C);
  }
  if (C.Whole != NoCell)
    noteView(CurrentFactCell, C.Whole);
  put(CurrentFactCell, std::move(C));
  bind(Slot, CurrentFactCell);
}

void FunctionAnalysis::write(SlotId Slot, const Cell &C, bool Partial) {
  writeCell(cellOf(Slot), C, Partial);
}

void keepPlace(Cell &New, const Cell &Old) {
  New.Whole = Old.Whole;
  New.Varies = Old.Varies;
  New.MayVary = Old.MayVary;
  New.Some = Old.Some;
  New.Gradient = Old.Gradient;
  New.Span = Old.Span;
  if (!New.Spec) // what is written into a buffer has its shape
    New.Spec = Old.Spec;
}

/// \p From is the view of it, or what it is a view of, that was written.
void FunctionAnalysis::writeCell(CellId Id, const Cell &Value, bool Partial,
                                 unsigned Depth, CellId From) {
  const Cell Old = *Current->Cells[Id];
  Cell New = Partial && !Old.Undefined ? join(Old, Value) : Value;
  keepPlace(New, Old);
  New.Torn |= Old.Torn;
  New.Mended |= Old.Mended;
  for (AxisId A = 0; A != New.Axes.size() && !New.Undefined; ++A) {
    const TypeSet Replicas = LocalType::R | LocalType::I;
    const std::uint32_t Bit = 1u << A;
    if ((New.Axes[A].Set & Replicas).empty())
      New.Torn |= Bit;
    else if (New.Axes[A].Set.subsetOf(Replicas))
      New.Mended |= New.Torn & Bit;
  }
  if (Partial && Depth != 0) // perhaps, not in part
    noteChange(Id);
  else
    noteWrite(Id, Partial ? Value : New);
  put(Id, New);
  writeViews(Id, Old, New, Depth, From);
  writeWhole(Id, New, /*Partial=*/false, Depth);
  for (CellId Other : mayBe(Id))
    if (auto C = Current->Cells.find(Other); C != Current->Cells.end()) {
      const Cell Before = *C->second;
      Cell Perhaps = join(Before, New);
      keepPlace(Perhaps, Before);
      noteChange(Other);
      put(Other, Perhaps);
      writeViews(Other, Before, Perhaps, Depth, From);
      writeWhole(Other, New, /*Partial=*/true, Depth);
    }
}

void FunctionAnalysis::bind(SlotId Slot, CellId Id) {
  const CellId Old = Current->Slots[index(Slot)];
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
    const CellId Theirs = Current->Slots[index(Other)];
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
  Cell C = unknownCell();
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
      if (Other != Slot && Current->Slots[index(Other)] == Id)
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
    put(index(Field), initialCell(FS));
    bindFields(Field, SlotId::None, Refers);
  }
}

void FunctionAnalysis::narrow(SlotId Slot, AxisId A, TypeSet Set,
                              const Origin *Why) {
  const CellId Id = cellOf(Slot);
  const Cell &Old = *Current->Cells[Id];
  const TypeSet Was = Old.Axes[A].Set;
  // R|I is a value without a gradient, a literal say: it fits each use anew.
  const TypeSet Replicas = LocalType::R | LocalType::I;
  if (Was == Set || (Replicas.subsetOf(Was) && !Was.isAll()))
    return;
  Cell New = Old;
  if (New.Axes[A].Set.isAll() || !New.Axes[A].From)
    New.Axes[A].From = Why;
  New.Axes[A].Set = Set;
  New.Axes[A].Doubt = TypeSet::none();
  put(Id, std::move(New));
}

//===--- Facts about storage ----------------------------------------------===//

void FunctionAnalysis::transfer(const DefineFact &D) {
  using K = DefineFact::Kind;
  switch (D.K) {
  case K::Constant:
    define(D.Dst, constantCell(typesOf(SourceKind::Constant), D.At, {}));
    return;
  case K::Zero:
    define(D.Dst, constantCell(typesOf(SourceKind::Zero), D.At, {}));
    return;
  case K::Unknown:
    define(D.Dst, unknownCell());
    bindFields(D.Dst, SlotId::None);
    return;
  case K::Undefined: {
    Cell C = unknownCell();
    C.Undefined = true;
    define(D.Dst, std::move(C));
    return;
  }
  case K::Declared:
    define(D.Dst, D.Type ? declaredCell(*D.Type, D.At, F.slot(D.Dst).Name,
                                        F.slot(D.Dst).Mesh.get())
                         : unknownCell());
    return;
  case K::RankOf: {
    const AxisList Span =
        D.Axis == SlotId::None ? AxisList() : read(D.Axis).Span;
    if (Span.empty())
      return define(D.Dst, unknownCell());
    Cell C = constantCell(typesOf(SourceKind::Constant), D.At, "rank");
    for (AxisId A : Span)
      C.Axes[A].Set = LocalType::V;
    for (AxisId A : Span)
      (Span.size() > 1 ? C.RankOver : C.Counts) |= 1u << A;
    define(D.Dst, std::move(C));
    return;
  }
  case K::Axes: {
    Cell C = unknownCell();
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

void FunctionAnalysis::transfer(const GradientFact &G) {
  const CellId Primal = cellOf(G.Src.Slot);
  Cell C = *Current->Cells[Primal];
  if (C.Gradient != NoCell && Current->Cells.count(C.Gradient)) {
    bind(G.Dst, C.Gradient);
    return;
  }
  const Origin *From =
      origin(Origin::Kind::Gradient, G.At, F.slot(G.Src.Slot).Name);
  for (AxisState &A : C.Axes)
    if (!A.Set.isAll())
      A = {dual(A.Set), A.Dim, From};
  C.Whole = C.Gradient = NoCell;
  C.Varies = C.MayVary = C.Stray = C.Split = 0;
  C.Some = false;
  define(G.Dst, std::move(C));
  Cell WithGradient = *Current->Cells[Primal];
  WithGradient.Gradient = Current->Slots[index(G.Dst)];
  put(Primal, std::move(WithGradient));
}

void FunctionAnalysis::transfer(const HavocFact &H) {
  const Slot &S = F.slot(H.Slot);
  Cell C = S.Declared ? declaredCell(S.Declared->Exit ? *S.Declared->Exit
                                                      : S.Declared->Entry,
                                     S.DeclaredAt, S.Name, S.Mesh.get())
                      : unknownCell();
  if (H.Rebinds) {
    noteChange(cellOf(H.Slot));
    C.Span = axesOf(S.DeclaredAxes, S.Mesh.get());
    define(H.Slot, std::move(C));
    bindFields(H.Slot, SlotId::None);
    return;
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
  Current->Slots[ReturnSlot] = cellOf(R.Value.Slot);
  Done[CurrentBlock].Slots.insert(ReturnSlot);
}

} // namespace spmd::rules::inference
