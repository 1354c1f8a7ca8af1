//===- Storage.cpp - Slots, cells, aliases and parts ----------------------===//

#include "Storage.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

CellId Storage::cellOf(SlotId Slot) {
  const CellId Id = Point.Now->cellOf(index(Slot));
  if (!contents(Id))
    put(Id,
        Id < F.Slots.size() ? initialValue(F.Slots[Id]) : Decls.unknownValue());
  return Id;
}

const AbstractValue &Storage::read(SlotId Slot) {
  return *contents(cellOf(Slot));
}

AbstractValue Storage::initialValue(const Slot &S) const {
  AbstractValue C = S.Declared && !S.Declared->isOutput()
                        ? Decls.promisedValue(S.Declared->Entry, S.DeclaredAt,
                                              S.Name, S.Mesh.get())
                        : Decls.unknownValue();
  const bool IsOutput =
      S.Kind == SlotKind::Parameter && S.Declared && S.Declared->isOutput();
  C.Undefined = IsOutput || S.Kind == SlotKind::Temporary ||
                (S.Kind == SlotKind::Local && (!S.Declared || S.Outermost));
  C.Untouched = IsOutput || !C.Undefined;
  C.Fresh =
      (C.Undefined && S.Kind == SlotKind::Local) || S.Name == GeneratorName;
  C.Blank = IsOutput || (S.Kind == SlotKind::Local && S.Declared);
  C.Unwritten = Decls.overwrittenAlike(S);
  C.Number = !S.Declared && Facts.IsNumber[&S - F.Slots.data()];
  C.Span = Decls.spanOf(S);
  C.RankOver = Decls.rankOver(S);
  for (AxisState &A : C.Axes)
    if (S.Integer) // the rank, or an offset
      A.Own = OwnTerms::No;
  return C;
}

/// What \p Field holds once it is one of the object \p Of: what is said of that
/// is about it.
AbstractValue Storage::valueInObject(const Slot &Field, SlotId Of) const {
  Slot Said;
  Said.Member = Field.Member;
  Said.IsTensor = Field.IsTensor;
  if (Of != SlotId::None && !Field.Declared)
    inheritAnnotation(Said, F.slot(Of));
  if (!Said.Declared)
    return initialValue(Field);
  AbstractValue C = Decls.promisedValue(Said.Declared->Entry, Said.DeclaredAt,
                                        Field.Name, Said.Mesh.get());
  C.Untouched = true;
  return C;
}

const AbstractValue &Storage::valueIn(const State &S, CellId Id,
                                      AbstractValue &Initial) const {
  if (const AbstractValue *C = S.contents(Id))
    return *C;
  Initial =
      Id < F.Slots.size() ? initialValue(F.Slots[Id]) : Decls.unknownValue();
  return Initial;
}

llvm::SmallSetVector<CellId, 4> Storage::wholesOf(CellId Id) const {
  llvm::SmallSetVector<CellId, 4> Out;
  while (Id != NoCell && Out.insert(Id)) {
    const AbstractValue *C = contents(Id);
    Id = C ? C->Whole : NoCell;
  }
  return Out;
}

SlotId Storage::nameOf(CellId Id, SlotId Slot) const {
  for (SlotId Other : Facts.Objects.namesOf(Slot))
    if (Other != Slot && Point.Now->cellOf(index(Other)) == Id)
      return Other;
  return SlotId::None;
}

void Storage::bind(SlotId Slot, CellId Id) {
  const CellId Old = Point.Now->cellOf(index(Slot));
  repoint(Slot, Id);
  if (Old == Id || F.slot(Slot).Kind != SlotKind::Field)
    return;
  // Names of one object named one storage so far.
  std::optional<llvm::SmallVector<CellId, 4>> Perhaps;
  for (SlotId Other : Facts.Objects.namesOf(Slot)) {
    const CellId Theirs = Point.Now->cellOf(index(Other));
    if (Other == Slot || Theirs == Id || F.slot(Other).Kind != SlotKind::Field)
      continue;
    if (Theirs == Old) {
      repoint(Other, Id);
      continue;
    }
    if (!Perhaps)
      Perhaps = Alias.mayBe(Old);
    if (llvm::is_contained(*Perhaps, Theirs))
      forget(Other);
  }
}

void Storage::repoint(SlotId Slot, CellId Id) {
  Unnamed.push_back(Point.Now->cellOf(index(Slot)));
  Point.Now->name(index(Slot), Id);
  if (Facts.Slots.AcrossBlocks[index(Slot)])
    Log.noteRenamed(index(Slot));
}

void Storage::forget(SlotId Slot) {
  AbstractValue C = Decls.unknownValue();
  C.Span = Decls.axesOf(F.slot(Slot).DeclaredAxes, F.slot(Slot).Mesh.get());
  repoint(Slot, index(Slot));
  put(index(Slot), std::move(C));
}

void Storage::bindFields(SlotId Dst, SlotId Src, bool Refers) {
  llvm::ArrayRef<SlotId> Sources;
  if (Src != SlotId::None) // the map's empty key
    Sources = Facts.Objects.fieldsOf(Src);
  for (SlotId Field : Facts.Objects.fieldsOf(Dst)) {
    const Slot &FS = F.slot(Field);
    const auto *Match = llvm::find_if(
        Sources, [&](SlotId S) { return F.slot(S).Member == FS.Member; });
    if (Match != Sources.end()) {
      const CellId Id = cellOf(*Match);
      Refers ? repoint(Field, Id) : bind(Field, Id);
      if (!Refers && FS.Declared)
        believeStored(Field, Id);
      bindFields(Field, *Match, Refers);
      continue;
    }
    Refers ? repoint(Field, index(Field)) : bind(Field, index(Field));
    put(index(Field), valueInObject(FS, Src));
    bindFields(Field, SlotId::None, Refers);
  }
}

void Storage::undefineFields(SlotId Of) {
  for (SlotId Field : Facts.Objects.fieldsOf(Of)) {
    AbstractValue C = initialValue(F.slot(Field));
    C.Undefined |= !F.slot(Field).Declared;
    C.Fresh = true;
    repoint(Field, index(Field));
    put(index(Field), std::move(C));
    undefineFields(Field);
  }
}

void Storage::define(SlotId Slot, AbstractValue C) {
  if (Slot == SlotId::None)
    return;
  // A second round of a loop defines the same cell; whoever still names the
  // first round's storage keeps a type that covers both.
  if (const AbstractValue *Before = contents(Point.Cell)) {
    bool Shared = false;
    Point.Now->forEachName([&](std::uint32_t Other, CellId Id) {
      Shared |= Id == Point.Cell && Other != index(Slot);
    });
    if (Shared)
      C = join(*Before, C);
  }
  C.Holds.clear(); // it is a list of its own, if one
  put(Point.Cell, std::move(C));
  bind(Slot, Point.Cell);
}

/// Sums, and what differs, change what they are in the course of a step; lists
/// have elements that are more than that.
bool Storage::staysDeclared(const rules::Slot &S, AxisId A) const {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  return S.Outermost ||
         (S.Kind == SlotKind::Field && S.Member != ParametersMember &&
          initialValue(S).Axes[A].Set.subsetOf(Replicas));
}

bool Storage::isReplicaOf(const AxisState &Is, TypeSet Said) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  return !Is.Constant && Is.Set == Replicas && Said.isSingle() &&
         Said.subsetOf(Replicas);
}

void Storage::believeDeclared(SlotId Slot, AbstractValue &C) const {
  // By another name it is what the one says that it began with.
  const CellId Id = Point.Now->cellOf(index(Slot));
  const bool ByOther = !F.slot(Slot).Declared && Id < F.Slots.size();
  const rules::Slot &Target = ByOther ? F.Slots[Id] : F.slot(Slot);
  if (!Target.Declared || Target.Declared->Exit)
    return;
  const AbstractValue Declared = initialValue(Target);
  for (AxisId A = 0; A != C.Axes.size(); ++A) {
    const AxisState &Is = C.Axes[A];
    const TypeSet Said = Declared.Axes[A].Set;
    const bool Fits = Is.Constant ? Said.subsetOf(Is.Set | LocalType::V)
                                  : isReplicaOf(Is, Said);
    const bool MayMeet =
        Is.OfMessages && !Said.subsetOf(LocalType::R | LocalType::I);
    if (Fits || (Is.Set.isAll() && !Is.Constant && !Is.Assumed && !C.Wrong &&
                 !ByOther && !MayMeet && staysDeclared(Target, A)))
      C.Axes[A].believe(Declared.Axes[A]);
  }
}

AbstractValue Storage::asDeclared(SlotId Slot) {
  AbstractValue Out = *contents(cellOf(Slot));
  if (!F.slot(Slot).Declared)
    return Out;
  // What it is declared to write lies as it will where the function ends.
  const rules::Slot &S = F.slot(Slot);
  const AbstractValue Declared =
      S.Declared->isOutput()
          ? Decls.promisedValue(*S.Declared->Exit, S.DeclaredAt, S.Name,
                                S.Mesh.get())
          : initialValue(S);
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    Out.Axes[A].lieAs(Declared.Axes[A]);
  return Out;
}

/// What nobody knows of \p Id, which \p Field is now, is as that is declared.
void Storage::believeStored(SlotId Field, CellId Id) {
  const AbstractValue *Was = contents(Id);
  if (!Was || Was->Undefined)
    return;
  AbstractValue Now = *Was;
  believeDeclared(Field, Now);
  if (Now != *Was)
    put(Id, std::move(Now));
}

void Storage::loseZeros(bool OfGradients) {
  if (!E.hasZeros())
    return;
  llvm::SmallDenseSet<CellId, 4> Own;
  for (SlotId S : Facts.OwnBuffers)
    Own.insert(cellOf(S));
  const auto IsOwn = [&](CellId Id) {
    for (const AbstractValue *C = contents(Id); C && C->Whole != NoCell;
         C = contents(Id))
      Id = C->Whole;
    return Own.contains(Id);
  };
  llvm::SmallVector<CellId, 8> Zeros;
  Point.Now->forEachCell([&](CellId Id, const AbstractValue &C) {
    if (C.Zero && (OfGradients || !C.IsGradient) && !IsOwn(Id))
      Zeros.push_back(Id);
  });
  for (CellId Id : Zeros) {
    AbstractValue Now = *contents(Id);
    Now.Zero = false;
    Log.noteChange(Id);
    put(Id, std::move(Now));
  }
}

void Storage::expose(SlotId Slot) {
  for (CellId Id : wholesOf(cellOf(Slot)))
    if (const AbstractValue *C = contents(Id); C && C->Fresh) {
      AbstractValue Now = *C;
      Now.Fresh = false;
      Log.noteChange(Id);
      put(Id, std::move(Now));
    }
  for (SlotId Field : Facts.Objects.fieldsOf(Slot))
    expose(Field);
}

void Storage::noteParts(CellId Id) {
  AbstractValue Now = *contents(Id);
  // What it holds stays the same.
  if (!std::exchange(Now.HasParts, true))
    put(Id, std::move(Now));
}

void Storage::noteRewritten(CellId Id) {
  for (CellId Whole : wholesOf(Id))
    Log.noteWritten(Whole);
  for (CellId Other : Alias.mayBe(Id))
    Log.noteWritten(Other);
  llvm::SmallSetVector<CellId, 4> Parts;
  Parts.insert(Id);
  for (std::size_t I = 0; I != Parts.size(); ++I) {
    Log.noteWritten(Parts[I]);
    for (CellId View : Point.Now->viewsOf(Parts[I]))
      if (const AbstractValue *Now = contents(View);
          Now && Now->Whole == Parts[I])
        Parts.insert(View);
  }
}

void Storage::narrow(SlotId Slot, AxisId A, TypeSet Set, const Origin *Why) {
  const CellId Id = cellOf(Slot);
  const AbstractValue &Old = *contents(Id);
  const TypeSet Was = Old.Axes[A].Set;
  // R|I is a value without a gradient, a literal say, and R|P each rank's share
  // of one: they fit each use anew.
  const TypeSet Replicas = LocalType::R | LocalType::I;
  const TypeSet Share = LocalType::R | LocalType::P;
  if (Was == Set || Was == Share || (Replicas.subsetOf(Was) && !Was.isAll()))
    return;
  AbstractValue New = Old;
  if (New.Axes[A].Set.isAll() || !New.Axes[A].From)
    New.Axes[A].From = Why;
  New.Axes[A].narrowTo(Set);
  put(Id, std::move(New));
}

static bool isCollected(const AxisState &A) {
  return A.By == Collected::Here || A.By == Collected::Elsewhere;
}

void Storage::moveOn(AxisState &A) {
  if (isCollected(A))
    A.By = Collected::Beside;
}

bool Storage::isOfEach(const AxisState &A) const {
  return A.From && A.From->In &&
         E.factsOf(*A.From->In).Visited.collectsEach(A.From->At);
}

void Storage::leaveLoop(AbstractValue &C) const {
  for (AxisState &A : C.Axes)
    if (!isOfEach(A))
      moveOn(A);
}

void Storage::moveOnFrom(CellId Id, MovesFn Moves) {
  const AbstractValue *C = contents(Id);
  const auto IsLeft = [&](const AxisState &A) {
    return isCollected(A) && Moves(A);
  };
  if (!C || llvm::none_of(C->Axes, IsLeft))
    return;
  AbstractValue New = *C;
  for (AxisState &A : New.Axes)
    if (IsLeft(A))
      moveOn(A);
  put(Id, std::move(New));
}

void Storage::moveOn(SlotId Slot, MovesFn Moves) {
  const CellId Id = cellOf(Slot);
  moveOnFrom(Id, Moves);
  moveOnFrom(contents(Id)->Gradient, Moves);
  for (SlotId Field : Facts.Objects.fieldsOf(Slot))
    moveOn(Field, Moves);
}

void Storage::forgetSpec(CellId Id) {
  AbstractValue Now = *contents(Id);
  Now.Spec = nullptr;
  put(Id, std::move(Now));
}

bool Storage::isUnfilled(const State &S, SlotId Member) const {
  const CellId Id = S.cellOf(index(Member));
  AbstractValue Initial;
  return valueIn(S, Id, Initial).Undefined &&
         llvm::none_of(Facts.InLists.listsOf(Member), [&](SlotId List) {
           return S.cellOf(index(List)) == Id;
         });
}

/// Whether \p Object names an element of a list.
static bool isNamedElement(const Function &F, SlotId Object) {
  return F.slot(Object).Kind == SlotKind::Local &&
         llvm::any_of(factsOf<ViewFact>(F), [Object](const ViewFact &V) {
           return V.K == ViewFact::Kind::Handle && V.Dst == Object;
         });
}

CellId Storage::wholeOfElement(SlotId Slot) {
  if (F.slot(Slot).Kind != SlotKind::Field)
    return NoCell;
  const AbstractValue &Is = read(Slot);
  const bool IsElement =
      Is.Apart ? isNamedElement(F, F.slot(Slot).Base) : Is.Some;
  return IsElement ? Is.Whole : NoCell;
}

void Storage::joinList(CellId List, CellId Member) {
  const AbstractValue Value = *contents(Member);
  const auto Held = wholesOf(Member);
  for (CellId In : wholesOf(List)) {
    const AbstractValue *C = contents(In);
    if (!C)
      return;
    const AbstractValue Old = *C;
    AbstractValue New = Old.Undefined ? Value : join(Old, Value);
    keepPlace(New, Old);
    New.Fresh = Old.Fresh;
    New.Diverged = Old.Diverged;
    New.Parted = Old.Parted;
    New.Reconverged = Old.Reconverged;
    if (In == List && !llvm::is_contained(New.Holds, Member))
      New.Holds.insert(llvm::lower_bound(New.Holds, Member), Member);
    Log.noteWritten(In);
    put(In, std::move(New));
    for (CellId Of : Held) {
      Alias.mayHold(In, Of);
      // What else that is a part of has other parts, which are not held.
      if (contents(Of)->Apart)
        break;
    }
  }
}

void Storage::noteDiverged(CellId Id, AxisId A, const AxisState &As) {
  for (CellId Of : wholesOf(Id)) {
    Log.noteDiverged(Of, A, As);
    const AbstractValue *C = contents(Of);
    if (!C || C->Some)
      return;
  }
}

void Storage::beginBlock() {
  const auto &Last = Facts.Slots.LastMentions;
  NextMention =
      llvm::lower_bound(
          Last, std::pair(Numbers.factOf(Numbers.firstFact(Point.Block)),
                          SlotId(0))) -
      Last.begin();
}

void Storage::forgetTemporaries(CellId UpTo) {
  const auto &Last = Facts.Slots.LastMentions;
  for (; NextMention != Last.size() &&
         Last[NextMention].first < Numbers.factOf(UpTo);
       ++NextMention) {
    const std::uint32_t Slot = index(Last[NextMention].second);
    Unnamed.push_back(Point.Now->cellOf(Slot));
    Point.Now->name(Slot, Slot);
  }
  for (CellId Id : Unnamed)
    Point.Now->release(Id);
  Unnamed.clear();
  Before.clear();
}

} // namespace spmd::rules::inference
