//===- CalleeExit.cpp - What a callee leaves to its caller ----------------===//

#include "CallTransfer.h"

#include "spmd/ir/Members.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// A callee made \p Slot a name of another object, \p Referred if the caller
/// has a name of it. Whether what it named before is changed is not known.
void CallTransfer::refer(SlotId Slot, CellId Id, SlotId Referred) {
  const CellId Old = Point.Now->cellOf(index(Slot));
  Store.repoint(Slot, Id);
  if (Old != Id)
    for (SlotId Other : Facts.Objects.namesOf(Slot))
      if (Other != Slot && Point.Now->cellOf(index(Other)) == Old) {
        Store.forget(Other);
        Store.bindFields(Other, SlotId::None, /*Refers=*/true);
      }
  if (Referred != SlotId::None)
    Store.bindFields(Slot, Referred, /*Refers=*/true);
}

/// What the body left in the \p I-th cell that was passed to it.
AbstractValue CallTransfer::leftIn(std::size_t I, const Passed &To,
                                   const Summary &S) {
  AbstractValue After = outside(S.ExitCells[I], To);
  if (const auto As = To.Declared.find(I); As != To.Declared.end())
    Store.believeDeclared(As->second, After);
  return After;
}

/// Cells that are passed, by number, and what the caller found in them.
using SavedCells = llvm::SmallVector<std::pair<unsigned, AbstractValue>, 0>;

/// Regions, with what they are regions of, or with where that begins.
static SavedCells regionsIn(const CallTransfer::Passed &To,
                            const Storage &Store) {
  llvm::BitVector Kept(static_cast<unsigned>(To.Cells.size()));
  llvm::DenseSet<CellId> Begun; ///< what it is known to begin with
  for (const CellId Id : To.Cells)
    if (const AbstractValue &Here = *Store.contents(Id);
        Here.Apart && !Here.Some)
      Begun.insert(Here.Whole);
  for (unsigned I = 0; I != To.Cells.size(); ++I) {
    if (const AbstractValue &Inside = To.Inner.Cells[I]; Inside.Apart) {
      Kept.set(I);
      Kept.set(Inside.Whole);
    }
    if (const AbstractValue &Here = *Store.contents(To.Cells[I]); Here.Apart)
      Kept[I] = Kept[I] || Begun.contains(Here.Whole);
  }
  SavedCells Out;
  for (const unsigned I : Kept.set_bits())
    Out.emplace_back(I, *Store.contents(To.Cells[I]));
  return Out;
}

/// What the body left in the cells that were passed to it.
void CallTransfer::takeBack(const Passed &To, const Summary &S, PlaceId At) {
  const auto Regions = To.Out ? SavedCells() : regionsIn(To, Store);
  for (std::size_t I = 0; I != To.Cells.size(); ++I) {
    AbstractValue Before = To.Inner.Cells[I];
    Before.Diverged = S.ExitCells[I].Diverged;
    Before.Parted = S.ExitCells[I].Parted;
    Before.Reconverged = S.ExitCells[I].Reconverged;
    Before.HasParts = S.ExitCells[I].HasParts;
    if (Before.HasParts)
      Store.noteParts(To.Cells[I]);
    // Of what is only seen to be of some type on another mesh, more may be
    // known on this one.
    const bool Written = S.Written.test(static_cast<unsigned>(I));
    if (To.Out ? !Written : S.ExitCells[I] == Before) {
      if (Written) {
        Store.noteRewritten(To.Cells[I]);
        if (AbstractValue Now = *Store.contents(To.Cells[I]); Now.Untouched) {
          Now.Untouched = false;
          Store.put(To.Cells[I], std::move(Now));
        }
      }
      // What lies elsewhere on each rank differed before; what it is a part of
      // may do so now.
      const AbstractValue Part = *Store.contents(To.Cells[I]);
      if (Written && Part.Varies && !Part.Undefined)
        Store.writeCell(To.Cells[I], Part, /*Partial=*/false);
      continue;
    }
    AbstractValue After = leftIn(I, To, S);
    const bool Reshaped = S.ExitCells[I].Spec != Before.Spec;
    if (!Reshaped)
      After.Spec = Store.contents(To.Cells[I])->Spec;
    const bool Unknown = To.Out && Reshaped && !After.Spec;
    Store.writeCell(To.Cells[I], After, /*Partial=*/false);
    In.ChangedByCall[To.Cells[I]] = At;
    if (Unknown)
      Store.forgetSpec(To.Cells[I]);
  }
  // The body knows what all of these are: no one's writes change what it says
  // of another.
  for (const auto &[I, Found] : Regions) {
    AbstractValue After =
        S.ExitCells[I] == To.Inner.Cells[I] ? Found : leftIn(I, To, S);
    keepPlace(After, Found);
    Store.put(To.Cells[I], std::move(After));
  }
  In.Grads.take(S, To.Cells,
                [&](AbstractValue V) { return outside(std::move(V), To); });
  for (const Summary::DivergedCell &D : S.Diverged)
    if (!To.Out)
      Store.noteDiverged(To.Cells[D.Of], D.Axis, D.As);
}

/// A value of the body's own, which may be a part of the \p Whole-th cell.
AbstractValue CallTransfer::made(const AbstractValue &Value, int Whole,
                                 const Passed &To) const {
  AbstractValue Out = outside(Value, To);
  if (Whole >= 0) {
    Out.Whole = To.Cells[Whole];
    Out.Some = true;
  }
  // Some ranks alone wrote it there.
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    if (const AxisState &Is = Out.Axes[A];
        !Out.Undefined && Is.isSurely(LocalType::V) && Is.From &&
        Is.From->K == Origin::Kind::Branch)
      Out.Diverged |= 1u << A;
  return Out;
}

/// The list of the caller's that \p Id is: a callee made the elements of
/// another one point to those of it by their member \p Member.
SlotId CallTransfer::listAt(CellId Id, SlotId Member) const {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (SlotId(I) != Member && Point.Now->cellOf(I) == Id &&
        !Facts.Objects.fieldsOf(SlotId(I)).empty())
      return SlotId(I);
  return SlotId::None;
}

/// One call fact defines at most one cell of its own; rebound slots other than
/// the result take theirs from the callee's exit by content.
void CallTransfer::rebind(const Function &Target, const CallFact &Call,
                          const Passed &To, const Summary &S) {
  for (const Summary::Rebinding &R : S.Rebindings) {
    const SlotId Mine = callerSlot(Target, Call, R.Slot);
    if (Mine == SlotId::None)
      continue;
    const bool Moved = llvm::any_of(S.Rebindings, [&](const auto &Outer) {
      return isWithin(Target, Target.slot(SlotId(R.Slot)).Base,
                      SlotId(Outer.Slot));
    });
    const SlotId Same =
        R.SameAs ? callerSlot(Target, Call, *R.SameAs) : SlotId::None;
    const bool Shared = R.Alias < 0 && Same != SlotId::None;
    const CellId Id = R.Alias >= 0 ? To.Cells[R.Alias]
                      : Shared     ? Store.cellOf(Same)
                                   : index(Mine);
    SlotId Referred = Store.nameOf(Id, Mine);
    if (R.Alias >= 0 && Referred == SlotId::None && !F.slot(Mine).IsTensor)
      Referred = listAt(Id, Mine);
    const CellId All = Store.wholeOfElement(Mine);
    if (Moved ||
        (Referred != SlotId::None && !Facts.Objects.fieldsOf(Mine).empty()))
      refer(Mine, Id, Referred);
    else
      Store.bind(Mine, Id);
    if (R.Alias >= 0 || Shared)
      continue;
    In.Log.noteWritten(index(Mine));
    AbstractValue Value = made(R.Value, R.Whole, To);
    Value.Apart = R.Apart;
    Store.put(index(Mine), std::move(Value));
    holdHere(index(Mine), R.Holds, To);
    if (All != NoCell)
      Store.joinList(All, index(Mine));
  }
  for (const auto [List, Member] : S.JoinedAnew) {
    const SlotId Here = callerSlot(Target, Call, List),
                 Held = callerSlot(Target, Call, Member);
    if (Here != SlotId::None && Held != SlotId::None)
      In.Alias.mayHold(Store.cellOf(Here), Store.cellOf(Held));
  }
}

} // namespace spmd::rules::inference
