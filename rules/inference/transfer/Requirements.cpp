//===- Requirements.cpp - What annotations ask of values ------------------===//

#include "Requirements.h"

#include "MadeWhole.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether what meets the annotation is one of several: a number that is no
/// element of a known buffer is all that a variable or field holds.
static bool isPart(const Requirement &Why) {
  return Why.IsElement && Why.Buffer != SlotId::None;
}

void Requirements::require(Operand Value, llvm::ArrayRef<AxisState> Required,
                           const Requirement &Why, PlaceId At) {
  const AbstractValue Before = Store.read(Value.Slot);
  for (AxisId A = 0; A != Required.size(); ++A)
    if (!Required[A].Set.isAll())
      requireOn(Value, A, Required, Why, At, Before);
  requireSpec(Value, Required, Why, At);
  if (!isPart(Why) &&
      (Why.On == Annotated::Variable || Why.On == Annotated::Field)) {
    AbstractValue Kept = Store.read(Value.Slot);
    Decls.promise(Kept, Required, Why.DeclaredAt, Why.Subject);
    Store.put(Store.cellOf(Value.Slot), std::move(Kept));
  }
  tell(In, Asked{Value, Before, Why, At});
}

/// Whether what is stored is what a buffer begins with. Each rank may draw or
/// load its own, if one of them sends it round then: that nobody does is found
/// where it is read, or ends. What others have as well ends with them: it
/// begins anew where something is drawn, whatever it is declared to be before.
bool Requirements::isFirstValue(const Requirement &Why,
                                const AbstractValue &Value, AxisId A) {
  if (!isPart(Why))
    return false;
  const AbstractValue &Now = Store.read(Why.Buffer);
  const std::uint32_t Bit = 1u << A;
  const CellId Whole = Store.wholesOf(Store.cellOf(Why.Buffer)).back();
  const bool IsOthers =
      Whole < F.Slots.size() && (F.Slots[Whole].Kind == SlotKind::Field ||
                                 F.Slots[Whole].Kind == SlotKind::Global);
  return !Now.Wrong && (Now.PromisedAlike & Bit) && !(Now.Parted & Bit) &&
         (Now.Undefined || Now.Blank || Now.Axes[A].Constant ||
          Now.Axes[A].isSurely(LocalType::V) || (IsOthers && Value.Drawn));
}

/// Whether storage that is declared to be the same on all ranks, and is not so
/// yet, gets another name, or begins with what the ranks' ways make of it: that
/// nobody sends it round is found by the first, or where it is read.
static bool isPromisedElsewhere(const Requirement &Why, const AbstractValue &C,
                                AxisId A) {
  if (isPart(Why) || C.Axes[A].Before != DivergedFrom::Replicate)
    return false;
  return Why.On == Annotated::Variable ||
         (Why.On == Annotated::Field && (C.PromisedAlike & 1u << A));
}

/// Whether the ranks are to make one value of what each of them stores.
bool Requirements::isForAll(const Requirement &Why, AxisId A) {
  if (!isPart(Why))
    return false;
  const CellId Id = Store.cellOf(Why.Buffer);
  const AbstractValue &Now = *Store.contents(Id);
  return !Now.Wrong && (Now.PromisedAlike & 1u << A) &&
         isMadeWholeLater(In, Id);
}

/// Whether what each rank has drawn for what is declared to be the same on all
/// is sent round behind.
bool Requirements::isDrawnForAll(Operand Value, const Requirement &Why) {
  const CellId Id = Store.cellOf(Value.Slot);
  return (Why.On == Annotated::Variable || Why.On == Annotated::Field) &&
         Store.contents(Id)->Drawn && isMadeWholeLater(In, Id);
}

/// Whether each rank stores at a place of its own, which its number tells: the
/// others are to gather it. Where its data tell it, they are not.
bool Requirements::isAtOwnPlace(const Requirement &Why, AxisId A) {
  if (!isPart(Why))
    return false;
  const AbstractValue &Now = Store.read(Why.Buffer);
  return !Now.Undefined && (Now.Varies & 1u << A) &&
         Now.Axes[A].Own == OwnTerms::No;
}

/// \p Was, which \p Value is on \p A, with the dim that its layout is cut
/// along.
static AxisState withDim(AxisState Was, const AbstractValue &Value, AxisId A) {
  if (!Was.Dim && Was.isSurely(LocalType::V) && Value.Spec && !Value.isWrong())
    if (const std::optional<unsigned> Cut = Value.Spec->dimOf(A))
      Was.Dim = static_cast<std::int8_t>(*Cut);
  return Was;
}

/// Whether \p Value, cut along the dim \p Is, is not so along \p Wanted; of the
/// last dims no more is known than how many there are.
static bool isOtherDim(const AbstractValue &Value, int Is, int Wanted) {
  if ((Is < 0) == (Wanted < 0))
    return Is != Wanted;
  const auto Of = [&](int Dim) { return Value.Spec->dimAt(Dim); };
  return Value.Spec && Of(Is) && Of(Wanted) && Of(Is) != Of(Wanted);
}

/// The same on one axis. \p Before is what \p Value was on all.
void Requirements::requireOn(Operand Value, AxisId A,
                             llvm::ArrayRef<AxisState> Required,
                             const Requirement &Why, PlaceId At,
                             const AbstractValue &Before) {
  const AxisState &Want = Required[A];
  const CellId Id = Store.cellOf(Value.Slot);
  const AbstractValue &C = *Store.contents(Id);
  const AxisState Was =
      C.Undefined ? AxisState() : withDim(C.Axes[A], Before, A);
  const TypeSet Left = Was.Set & Want.Set;
  const TypeSet OrVarying = Want.Set & (Was.Set | LocalType::V);
  if (!Left.empty() && Was.isDoubtful(OrVarying))
    tell(In, DoubtfullyMet{Value, Was, Left, Why, At, A});
  // One place for the parts of all ranks, where not one of them alone goes.
  if (Was.Constant && Why.TellsPlace && Want.Set == TypeSet(LocalType::V) &&
      !(In.Point.OnSomeRanks & 1u << A)) {
    AxisState Same = Was;
    Same.Set = Same.Set & (LocalType::R | LocalType::I);
    return tell(In, Unmet{Value, Same, Before, Required, Why, At, A});
  }
  if (Was.Constant && Why.On != Annotated::Value && !OrVarying.empty()) {
    // A variable or field holds what it is declared to hold from here on.
    if (Why.On != Annotated::Variable && Why.On != Annotated::Field)
      return;
    trust(Value.Slot, A, Want, Why);
    return noteBlank(Id, Why);
  }
  // A buffer with an element for each rank may have the same in all of them,
  // and so may a number of each rank's own.
  const TypeSet Shared = Was.Set - LocalType::P; // each rank's share of one
  if (Why.IsElement && Want.Set == TypeSet(LocalType::V) && !Shared.empty() &&
      Shared.subsetOf(LocalType::R | LocalType::I))
    return trust(Value.Slot, A, Want, Why);
  if (Why.IsOutput)
    return trust(Value.Slot, A, Want, Why);
  if (isAtOwnPlace(Why, A))
    return;
  if (Left.empty() && Was.isSurely(LocalType::V) &&
      (isFirstValue(Why, C, A) || isForAll(Why, A) ||
       isPromisedElsewhere(Why, C, A) || isDrawnForAll(Value, Why)))
    return;
  const bool Comparable = Why.Spec && Before.Spec;
  const bool DimClash = !Comparable && Was.Dim && Want.Dim &&
                        isOtherDim(Before, *Was.Dim, *Want.Dim);
  if (Left.empty() || DimClash) {
    // Of one buffer, what is pending still may begin here.
    if (!Want.Set.contains(LocalType::P) || Was.By != Collected::Beside)
      tell(In, Unmet{Value, Was, Before, Required, Why, At, A});
    // One mistake, one finding: from here on the annotation is believed.
    AxisState Assumed = Want;
    Assumed.Assumed = true;
    return trust(Value.Slot, A, Assumed, Why);
  }
  if (Left == Was.Set && (!Want.Dim || Was.Dim))
    return;
  AbstractValue New = C;
  New.Undefined = New.Wrong = false;
  if (Was.Set.isAll() || !New.Axes[A].From)
    New.Axes[A].From =
        Decls.origin(Origin::Kind::Declared, Why.DeclaredAt, Why.Subject);
  if (Was.Set.isAll())
    New.Axes[A].Own = Want.Own;
  New.Axes[A].narrowTo(Left);
  New.Axes[A].Assumed |= C.Wrong;
  if (Want.Dim)
    New.Axes[A].Dim = Want.Dim;
  const bool IsBlank =
      C.Undefined && !C.Wrong &&
      (Why.On == Annotated::Variable || Why.On == Annotated::Field);
  Store.put(Id, std::move(New));
  if (IsBlank)
    noteBlank(Id, Why);
}

/// A variable or field begins with memory that nobody has written, or zeros.
void Requirements::noteBlank(CellId Id, const Requirement &Why) {
  if (isPart(Why))
    return;
  AbstractValue Now = *Store.contents(Id);
  Now.Blank = true;
  Store.put(Id, std::move(Now));
}

void Requirements::requireHere(Operand Value, std::vector<AxisState> Required,
                               Requirement Why, const MeshMap *Map,
                               PlaceId At) {
  if (!Map)
    return require(Value, Required, Why, At);
  Foreign Said{*Map, std::move(Required), std::move(Why.Spec), {}};
  Why.Spec = Map->spec(Said.Spec, &Said.NoSpec);
  if (!Map->isByName() || !Said.NoSpec.empty())
    Why.There = &Said;
  require(Value, Map->states(Said.Types), Why, At);
}

/// Whether \p Wanted is \p Has with axes among it whose layout nobody knew.
static bool isRefined(llvm::ArrayRef<AxisId> Has, llvm::ArrayRef<AxisId> Wanted,
                      llvm::ArrayRef<AxisId> Loose) {
  llvm::SmallVector<AxisId, 2> Left;
  for (AxisId A : Wanted)
    if (!llvm::is_contained(Loose, A))
      Left.push_back(A);
  return Has == llvm::ArrayRef(Left);
}

void Requirements::requireSpec(Operand Value,
                               llvm::ArrayRef<AxisState> Required,
                               const Requirement &Why, PlaceId At) {
  if (!Why.Spec)
    return;
  const CellId Id = Store.cellOf(Value.Slot);
  const AbstractValue &Now = *Store.contents(Id);
  const DimAxes Loose = Decls.looseAxes(Now);
  const std::optional<SpecClash> Clash =
      Now.Spec ? clash(*Now.Spec, *Why.Spec) : std::nullopt;
  // What an unknown layout is declared to be is believed, and so are sizes of
  // which this rank may have a part only.
  const bool Believed =
      Clash && ((Clash->K == SpecClash::Kind::Size && !Loose.empty()) ||
                (Clash->K == SpecClash::Kind::Axes &&
                 isRefined(Now.Spec->Dims[Clash->Dim].Axes,
                           Why.Spec->Dims[Clash->Dim].Axes, Loose)));
  if (Clash && !Believed && !Why.IsOutput)
    tell(In, UnmetSpec{Value, Now, *Clash, Required, Why, At});
  AbstractValue New = Now;
  New.Spec =
      Now.Spec && !Clash
          ? std::make_shared<const PartitionSpec>(refine(*Now.Spec, *Why.Spec))
          : Why.Spec;
  Store.put(Id, std::move(New));
}

/// \p Slot has the type \p Declared on one axis from now on.
void Requirements::trust(SlotId Slot, AxisId A, const AxisState &Declared,
                         const Requirement &Why) {
  AbstractValue New = *Store.contents(Store.cellOf(Slot));
  New.Undefined = New.Wrong = false;
  New.Axes[A] = Declared;
  New.ModifiedDivergently &= ~(1u << A);
  New.Axes[A].From =
      Decls.origin(Origin::Kind::Declared, Why.DeclaredAt, Why.Subject);
  Store.put(Store.cellOf(Slot), std::move(New));
}

static Annotated annotatedBy(AssertFact::Kind K) {
  switch (K) {
  case AssertFact::Kind::AssertType:
    return Annotated::Value;
  case AssertFact::Kind::Variable:
    return Annotated::Variable;
  case AssertFact::Kind::Field:
    return Annotated::Field;
  case AssertFact::Kind::Argument:
    return Annotated::Argument;
  case AssertFact::Kind::Return:
    return Annotated::Return;
  case AssertFact::Kind::Exit:
    return Annotated::ParameterOnExit;
  }
  return Annotated::Value;
}

/// Whether \p A makes a field point behind what another one is declared to
/// have, in one allocation: that says nothing of what lies there.
bool Requirements::isBehindOther(const AssertFact &A) {
  if (A.K != AssertFact::Kind::Field || A.IsElement ||
      llvm::none_of(factsOf<ViewFact>(F), [&](const ViewFact &V) {
        return V.Dst == A.Value.Slot && V.K == ViewFact::Kind::Offset;
      }))
    return false;
  const AbstractValue &Whole = Store.read(A.Value.Slot);
  const std::vector<AxisState> Said = Decls.requirements(*A.Type, A.Mesh.get());
  for (AxisId On = 0; On != Said.size(); ++On)
    if (const AxisState &Is = Whole.Axes[On];
        (Is.Set & Said[On].Set).empty() && Is.From &&
        Is.From->K == Origin::Kind::Declared)
      return !Whole.Undefined;
  return false;
}

void Requirements::run(const AssertFact &A) {
  if (!A.Type || A.Value.Slot == SlotId::None)
    return;
  const MeshSpec *Of = A.Mesh.get();
  if (isBehindOther(A))
    return Store.define(A.Value.Slot, Decls.promisedValue(*A.Type, A.DeclaredAt,
                                                          A.Subject, Of));
  Requirement Why{annotatedBy(A.K), A.Subject, A.DeclaredAt, &F,
                  Decls.declaredSpec(*A.Type, Of)};
  Why.IsElement = A.IsElement;
  Why.Buffer = A.Buffer;
  const MeshMap *Map = E.meshMap(Of, Decls.mesh());
  if (!Map)
    return require(A.Value, Decls.requirements(*A.Type, Of), Why, A.At);
  // As code of that mesh reads it.
  Context There;
  There.Global = Decls.Global;
  There.OfContract = true;
  There.Mesh = Of;
  const Declarations Signature(E, F, There);
  Why.Spec = Decls.isAllGlobal() ? Signature.declaredSpec(*A.Type) : nullptr;
  requireHere(A.Value, Signature.requirements(*A.Type), std::move(Why), Map,
              A.At);
}

} // namespace spmd::rules::inference
