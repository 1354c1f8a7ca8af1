//===- Transfers.cpp - Facts about storage --------------------------------===//

#include "Transfers.h"

#include "ElementViews.h"
#include "OwnParts.h"
#include "SummedGradients.h"

#include "passes/KeptNames.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void Transfers::run(const DefineFact &D) {
  using K = DefineFact::Kind;
  switch (D.K) {
  case K::Constant:
  case K::Zero: {
    AbstractValue C = Decls.constantValue(
        typesOf(D.K == K::Zero ? SourceKind::Zero : SourceKind::Constant), D.At,
        {});
    C.Fresh = true;
    return Store.define(D.Dst, std::move(C));
  }
  case K::Unknown:
    Store.define(D.Dst, Decls.unknownValue());
    Store.bindFields(D.Dst, SlotId::None);
    return;
  case K::Undefined: {
    AbstractValue C = Decls.unknownValue();
    C.Undefined = C.Fresh = true;
    Store.define(D.Dst, std::move(C));
    return Store.undefineFields(D.Dst);
  }
  case K::Declared: {
    const Slot &S = F.slot(D.Dst);
    AbstractValue C =
        D.Type ? Decls.promisedValue(*D.Type, D.At, S.Name, S.Mesh.get())
               : Decls.unknownValue();
    C.Blank = true;
    // Memory of the program's own, of which nothing is said.
    C.Undefined = C.Fresh = D.Type && *D.Type == TypeSpec();
    return Store.define(D.Dst, std::move(C));
  }
  case K::RankOf: {
    const AxisList Span =
        D.Axis == SlotId::None ? AxisList() : Store.read(D.Axis).Span;
    if (Span.empty()) { // of ranks that only the variable names
      const Slot &S = F.slot(D.Dst);
      AbstractValue C =
          S.Declared ? Decls.promisedValue(S.Declared->Entry, S.DeclaredAt,
                                           S.Name, S.Mesh.get())
                     : Decls.unknownValue();
      C.RankOver = Decls.rankOver(S);
      for (AxisState &A : C.Axes)
        A.Own = OwnTerms::No;
      return Store.define(D.Dst, std::move(C));
    }
    AbstractValue C =
        Decls.constantValue(typesOf(SourceKind::Constant), D.At, "rank");
    for (AxisId A : Span)
      C.Axes[A] = C.Axes[A].as(LocalType::V);
    for (AxisId A : Span)
      (Span.size() > 1 ? C.RankOver : C.Counts) |= 1u << A;
    Store.define(D.Dst, std::move(C));
    return;
  }
  case K::SizeOf: {
    AbstractValue C =
        Decls.constantValue(typesOf(SourceKind::Constant), D.At, {});
    // What is divided by the ranks of several axes is a sum over all of them.
    if (const AxisList &Span = Store.read(D.Axis).Span; Span.size() == 1)
      C.SizeOf = 1u << Span[0];
    return Store.define(D.Dst, std::move(C));
  }
  case K::Axes: {
    AbstractValue C = Decls.unknownValue();
    C.Span = Decls.axesOf(D.AxisNames);
    Store.define(D.Dst, std::move(C));
    return;
  }
  case K::Own: {
    AbstractValue C = Decls.constantValue(typesOf(SourceKind::Constant), D.At,
                                          "a number of each rank's own");
    for (AxisState &A : C.Axes)
      A = A.as(LocalType::V);
    return Store.define(D.Dst, std::move(C));
  }
  case K::OneRank: {
    AbstractValue C = Decls.unknownValue();
    C.OneRank = true;
    return Store.define(D.Dst, std::move(C));
  }
  }
}

/// Takes note that \p B makes a member a name of \p Id, into which nobody has
/// put anything, for as long as that stands for what each rank has a shard of.
void Transfers::noteStandIn(const BindFact &B, CellId Id) {
  if (F.slot(B.Dst).Kind != SlotKind::Field)
    return;
  const AbstractValue &Was = Store.read(B.Dst), &Is = *Store.contents(Id);
  const bool IsNothing =
      Is.Undefined ? Is.Fresh && !Is.Wrong : Is.Zero || isZeroNumber(Is);
  if (!IsNothing || Was.Undefined || Store.cellOf(B.Dst) == Id ||
      keeps(F, B.Src.Slot, B.Dst) || !isPutBack(F, B.Dst))
    return;
  AbstractValue Now = Is;
  for (AxisId A = 0; A != Was.Axes.size(); ++A)
    if (Was.Axes[A].isSurely(LocalType::V))
      Now.Unwritten |= 1u << A;
  Store.put(Id, std::move(Now));
}

/// The buffer that a call of \p F gathers \p Shard into on \p A, and that is
/// mentioned nowhere else; None if there is none.
static SlotId gatheredUnread(Body &In, SlotId Shard, AxisId A) {
  for (const CallFact &Call : factsOf<CallFact>(In.F)) {
    if (llvm::none_of(Call.Arguments,
                      [&](const Operand &X) { return X.Slot == Shard; }))
      continue;
    for (const Operand &X : Call.Arguments) {
      if (X.Slot == SlotId::None || X.Slot == Shard)
        continue;
      const AbstractValue &Whole = In.Store.read(X.Slot);
      if (Whole.Undefined || Whole.Axes[A].By == Collected::No ||
          !Whole.Axes[A].Set.subsetOf(LocalType::R | LocalType::I))
        continue;
      unsigned Mentions = 0;
      for (const Fact &Any : factsOf(In.F))
        forEachSlot(Any,
                    [&](SlotId S, SlotAccess) { Mentions += S == X.Slot; });
      if (Mentions == 1)
        return X.Slot;
    }
  }
  return SlotId::None;
}

/// Takes note that \p B puts a shard back where it is, \p Id, though it was
/// gathered, and nothing else is done with what that made.
void Transfers::notePutBack(const BindFact &B, CellId Id) {
  const AbstractValue &Is = *Store.contents(Id);
  if (F.slot(B.Dst).Kind != SlotKind::Field || Store.cellOf(B.Dst) != Id ||
      Is.Undefined || !keeps(F, B.Src.Slot, B.Dst))
    return;
  for (AxisId A = 0; A != Is.Axes.size(); ++A)
    if (Is.Axes[A].isSurely(LocalType::V))
      if (const SlotId Whole = gatheredUnread(In, B.Dst, A);
          Whole != SlotId::None)
        return tell(In, PutBackUnread{B, Whole, A});
}

void Transfers::run(const BindFact &B) {
  if (B.Joins)
    return joinList(B.Dst, B.Src.Slot);
  const CellId Id = Store.cellOf(B.Src.Slot), All = Store.wholeOfElement(B.Dst);
  // What a container of numbers begins with.
  if (const AbstractValue &Is = *Store.contents(Id);
      (F.slot(B.Dst).IsTensor ||
       llvm::is_contained(In.Facts.OwnBuffers, B.Dst)) &&
      Is.Fresh && !Is.Zero && isZeroNumber(Is)) {
    AbstractValue Now = Is;
    Now.Zero = true;
    Store.put(Id, std::move(Now));
    In.E.noteZeros();
  }
  // Who has a member may write by it.
  if (const AbstractValue &Is = *Store.contents(Id);
      Is.Undefined && Is.Blank &&
      (F.slot(B.Dst).Kind == SlotKind::Field ||
       F.slot(B.Dst).Kind == SlotKind::Global)) {
    AbstractValue Now = Is;
    Now.Blank = false;
    Store.put(Id, std::move(Now));
  }
  noteStandIn(B, Id);
  notePutBack(B, Id);
  pairLists(B);
  B.Refers ? Store.repoint(B.Dst, Id) : Store.bind(B.Dst, Id);
  if (All != NoCell)
    Store.joinList(All, Id);
  Store.bindFields(B.Dst, B.Src.Slot, B.Refers);
}

/// Whether \p V names a place in a buffer, by how far it is from its beginning.
static bool isPlace(const Function &F, const ViewFact &V) {
  return V.K == ViewFact::Kind::Region && F.slot(V.Dst).Kind == SlotKind::Local;
}

/// Whether \p V names an element of a list that code has a name for.
static bool isNamedElement(const Function &F, const ViewFact &V) {
  return V.K == ViewFact::Kind::Handle && F.slot(V.Dst).Kind == SlotKind::Local;
}

/// What nobody knows of \p Part of a memory, \p Member, which points there, is
/// declared to hold.
void Transfers::believeMember(AbstractValue &Part, const Slot &Member) const {
  if (!Member.Declared || Member.Declared->Exit)
    return;
  const AbstractValue Declared =
      Decls.promisedValue(Member.Declared->Entry, Member.DeclaredAt,
                          Member.Name, Member.Mesh.get());
  for (AxisId A = 0; A != Part.Axes.size(); ++A)
    if (Part.Axes[A].Set.isAll())
      Part.Axes[A].believe(Declared.Axes[A]);
}

void Transfers::view(const ViewFact &V) {
  const CellId Whole = Store.cellOf(V.Src.Slot);
  std::uint32_t Varies = 0, MayVary = 0;
  if (V.Offset.Slot != SlotId::None) {
    const AbstractValue &Offset = Store.read(V.Offset.Slot);
    for (AxisId A = 0; A != Offset.Axes.size(); ++A) {
      const TypeSet Set = Offset.Axes[A].Set;
      if (Offset.Undefined || !Set.contains(LocalType::V))
        continue;
      if (Set.isSingle())
        Varies |= 1u << A;
      else if (V.K == ViewFact::Kind::Offset || isPlace(F, V))
        MayVary |= 1u << A;
    }
  }
  // What may lie elsewhere on each rank has no place of its own.
  const bool IsRegion =
      V.K == ViewFact::Kind::Region && !(isPlace(F, V) && (Varies | MayVary));
  // A buffer by its own name begins there: who writes to that may go on.
  const bool IsBeginning = IsRegion && isPlace(F, V) &&
                           V.Offset.Slot != SlotId::None &&
                           isZeroNumber(Store.read(V.Offset.Slot));
  const bool IsSome =
      (IsRegion && !IsBeginning) || V.K == ViewFact::Kind::Handle;
  // The caller may know more of it.
  const CellId Known = Store.cellOf(V.Dst);
  if (const AbstractValue *Is = Store.contents(Known);
      IsRegion && Is && Is->Apart && Is->Whole == Whole) {
    AbstractValue Now = *Is;
    Now.Some = IsSome;
    return Store.put(Known, std::move(Now));
  }
  const bool IsElement =
      V.K == ViewFact::Kind::Element || V.K == ViewFact::Kind::Handle;
  if (!(Varies | MayVary) && !IsSome && !IsBeginning) {
    Store.bind(V.Dst, Whole);
    if (IsElement)
      bindElement(In, V.Dst, V.Src.Slot, {0, false, false});
    return;
  }
  if (IsElement)
    bindElement(In, V.Dst, V.Src.Slot,
                {Varies | MayVary, IsSome,
                 isNamedElement(F, V) && !(Varies | MayVary)});
  AbstractValue Part = *Store.contents(Whole);
  Part.Whole = Whole;
  Part.Varies = Varies;
  Part.MayVary = MayVary;
  // Each rank may update its own part by itself.
  Part.PromisedAlike &= ~(Varies | MayVary);
  Part.Some = IsSome;
  Part.Apart = IsRegion;
  if (Varies | MayVary)
    Part.Spec = nullptr;
  const Origin *Slice = Varies ? Decls.origin(Origin::Kind::Op, V.At,
                                              "a slice that differs per rank")
                               : nullptr;
  for (AxisId A = 0; A != Part.Axes.size(); ++A)
    Part.Axes[A] = partOf(IsRegion ? regionOf(Part, A)
                          : IsSome ? elementOf(Part, A)
                                   : Part.Axes[A],
                          Varies & 1u << A, MayVary & 1u << A, Slice);
  for (AxisId A = 0; A != Part.Axes.size(); ++A)
    if (Varies & 1u << A)
      Part.Axes[A].Own = ownTermsAt(Store.read(V.Offset.Slot).Axes[A],
                                    Store.contents(Whole)->Axes[A]);
  if (IsElement && !In.Facts.Objects.fieldsOf(V.Dst).empty())
    takeOwn(Part, Varies);
  if (IsRegion)
    Part.VariesInRegion = 0;
  if (IsRegion && !isPlace(F, V))
    believeMember(Part, F.slot(V.Dst));
  // What an element points to is other memory than the list.
  if (V.K == ViewFact::Kind::Handle)
    Part.Fresh = false;
  Part.PartialAtVaryingOffset =
      partialAtVaryingOffset(Part, Varies | Part.PartialAtVaryingOffset);
  if (!IsRegion || !isPlace(F, V))
    return Store.define(V.Dst, std::move(Part));
  // It is the same one wherever code names it.
  Part.HasParts = false;
  Store.repoint(V.Dst, index(V.Dst));
  Store.put(index(V.Dst), std::move(Part));
  if (!IsBeginning)
    Store.moveOn(V.Dst);
}

void Transfers::run(const ViewFact &V) {
  if (In.Facts.IsKeptPlace[index(V.Dst)])
    Store.noteParts(Store.cellOf(V.Src.Slot));
  view(V);
  // What the loop before this one has left of each element is in this, too.
  const auto IsOfOther = [&](const AxisState &A) {
    return A.By != Collected::Here || !A.From || A.From->In != &F ||
           !In.Facts.Visited.follows(A.From->At, V.Dst);
  };
  if (In.Facts.IsMoved[index(V.Dst)])
    Store.moveOn(V.Dst, IsOfOther);
  else if (V.K == ViewFact::Kind::Handle)
    Store.moveOn(V.Dst,
                 [this](const AxisState &A) { return Store.isOfEach(A); });
}

void Transfers::run(const BackwardFact &B) {
  const AbstractValue Loss =
      B.Loss.Slot == SlotId::None ? AbstractValue() : Store.read(B.Loss.Slot);
  const TypeSet Legal = LocalType::P | LocalType::I;
  for (AxisId A = 0; A != Loss.Axes.size(); ++A) {
    const TypeSet Set = Loss.Axes[A].Set;
    if (Loss.Undefined || Set.isAll())
      continue;
    if ((Set & Legal).empty())
      tell(In, IllegalLoss{B, A, Loss.Axes[A], Legal});
    else
      Store.narrow(B.Loss.Slot, A, Set & Legal,
                   Decls.origin(Origin::Kind::Narrowed, B.At, "backward"));
  }
  SummedGradients Sums(In, B);
  In.Grads.forgetAll();
  Sums.note();
}

/// Code that is not seen may make what differs between ranks, or is pending,
/// the same on all; what is the same it leaves so.
void Transfers::mayMeet(SlotId Slot) {
  AbstractValue C = Store.read(Slot);
  bool Changes = false;
  for (AxisState &A : C.Axes) {
    if (C.Undefined || A.Set.isAll() ||
        A.Set.subsetOf(LocalType::R | LocalType::I))
      continue;
    A = AxisState();
    Changes = true;
  }
  if (Changes)
    Store.write(Slot, C, /*Partial=*/false);
}

/// What unknown code leaves in \p S.
static AbstractValue leftBy(const Declarations &Decls, const Slot &S) {
  return S.Declared ? Decls.promisedValue(S.Declared->Exit ? *S.Declared->Exit
                                                           : S.Declared->Entry,
                                          S.DeclaredAt, S.Name, S.Mesh.get())
                    : Decls.unknownValue();
}

/// Who has a pointer to an object may write what its members are, or lead to;
/// communicators stay.
static void loseMembers(Body &In, SlotId Object) {
  for (const SlotId Field : In.Facts.Objects.fieldsOf(Object)) {
    const Slot &S = In.F.slot(Field);
    if (!S.DeclaredAxes.empty() || !In.Store.read(Field).Span.empty())
      continue;
    In.Store.write(Field, leftBy(In.Decls, S), /*Partial=*/false);
    loseMembers(In, Field);
  }
}

void Transfers::run(const HavocFact &H) {
  const Slot &S = F.slot(H.Slot);
  Store.expose(H.Slot);
  Store.loseZeros(/*OfGradients=*/true);
  // Who has gradients may add up those of all ranks.
  if (In.Grads.givesGradients(H.Slot))
    In.Grads.noteReduced(~AxisMask(0));
  if (H.Gradients) {
    if (H.Rebinds) // in each backward pass to come
      In.E.noteHook(F);
    else if (!H.Alone)
      mayMeet(H.Slot);
    return In.Grads.lose(H.Slot);
  }
  AbstractValue C = leftBy(Decls, S);
  if (H.Rebinds) {
    // By other names it is what it was, or was written before.
    if (Store.read(H.Slot).Span.empty())
      Store.write(H.Slot, Decls.unknownValue(), /*Partial=*/false);
    In.Log.noteChange(Store.cellOf(H.Slot));
    C.Span = Decls.axesOf(S.DeclaredAxes, S.Mesh.get());
    Store.define(H.Slot, std::move(C));
    Store.bindFields(H.Slot, SlotId::None);
    return In.Grads.lose(H.Slot);
  }
  if (H.Comm != SlotId::None)
    receive(H, C);
  Store.write(H.Slot, C, /*Partial=*/false);
  if (H.Comm == SlotId::None)
    loseMembers(In, H.Slot);
}

/// A message takes the place of what the storage of \p H had before, which is
/// \p Declared: by messages the ranks may have made that the same, as they add
/// up gradients. Where there was nothing, it brings what is declared.
void Transfers::receive(const HavocFact &H, AbstractValue &Declared) const {
  const AbstractValue &Old = *Store.contents(Store.cellOf(H.Slot));
  const AxisList &Of = Store.read(H.Comm).Span;
  if (Old.Whole != NoCell)
    for (AxisState &A : Declared.Axes)
      A.OfMessages |= A.Set.isAll();
  if (Old.Whole != NoCell || Old.Undefined)
    return;
  const bool HasExit = F.slot(H.Slot).Declared && F.slot(H.Slot).Declared->Exit;
  Declared.Blank = Old.Blank && !HasExit;
  if (Old.Blank || HasExit)
    return;
  for (AxisId A = 0; A != Declared.Axes.size(); ++A)
    if (!Declared.Axes[A].Set.subsetOf(LocalType::R | LocalType::I) &&
        (Of.empty() || llvm::is_contained(Of, A))) {
      Declared.Axes[A] = AxisState();
      Declared.Axes[A].OfMessages = true;
    }
}

void Transfers::run(const NullFact &N) {
  const CellId Id = Store.cellOf(N.Slot);
  AbstractValue C = *Store.contents(Id);
  C.Undefined = true;
  Store.put(Id, std::move(C));
}

void Transfers::run(const CallFact &Call) {
  tell(In, Called{Call});
  Calls.run(Call);
}

void Transfers::run(const ReturnFact &R) {
  In.LastReturn = R.At;
  if (R.Value.Slot == SlotId::None)
    return;
  if (F.Result)
    Contracts.require(R.Value, Decls.requirements(F.Result->Entry),
                      {Annotated::Return, F.DisplayName, F.ResultAt, &F,
                       Decls.declaredSpec(F.Result->Entry)},
                      R.At);
  Store.repoint(SlotId(In.Numbers.returnSlot()), Store.cellOf(R.Value.Slot));
}

} // namespace spmd::rules::inference
