//===- StorageWrites.cpp - What a write changes ---------------------------===//
//
// Whoever writes to a buffer writes to what it is a part of, to its parts and
// views, and perhaps to what may be the same storage.
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether what is being written is news to the storage \p Id: not a second
/// time by another way through parts, views and lists. Where these are too
/// many, nothing is known of it from here on.
bool Storage::spreadsTo(CellId Id, const AbstractValue &Value, bool Partial) {
  auto &Known = Spread[{Id, Partial}];
  if (llvm::is_contained(Known, Value))
    return false;
  if (Spread.size() > E.options().Caps.WrittenTogether) {
    E.giveUp({&F, Point.Running ? placeOf(*Point.Running) : PlaceId::None,
              Limit::WrittenTogether});
    Log.noteChange(Id);
    put(Id, Decls.unknownValue());
    return false;
  }
  Known.push_back(Value);
  return true;
}

/// The axes on which \p Written changes what a backward pass left, if \p Id is
/// the gradient of tensors of which nothing is known, or only that they have
/// other names.
AxisMask Storage::foreignGradient(CellId Id,
                                  const AbstractValue &Written) const {
  AxisMask Out = 0;
  const AbstractValue &Old = *contents(Id);
  if (!Old.IsGradient || Written.Undefined)
    return Out;
  Point.Now->forEachCell([&](CellId, const AbstractValue &Primal) {
    for (AxisId A = 0; Primal.Gradient == Id && A != Primal.Axes.size(); ++A)
      if ((Primal.Chosen || Primal.Axes[A].Set.isAll()) &&
          !Written.Axes[A].Constant)
        Out |= 1u << A & ~Written.FreshGradient;
  });
  return Out;
}

void Storage::noteForeignGradients(AxisMask On, CellId Changed) {
  On &= ~std::exchange(Point.Now->ForeignGradients,
                       Point.Now->ForeignGradients | On);
  if (!On)
    return;
  // What may be the changed one is written as such.
  llvm::SmallVector<CellId, 4> Same;
  if (Changed != NoCell) {
    Same = Alias.heldBy(Changed);
    llvm::append_range(Same, Alias.mayBe(Changed));
    Same.push_back(Changed);
  }
  llvm::SmallVector<CellId, 4> Known;
  Point.Now->forEachCell([&](CellId, const AbstractValue &Primal) {
    if (Primal.Gradient != NoCell && contents(Primal.Gradient) &&
        !llvm::is_contained(Same, Primal.Gradient))
      Known.push_back(Primal.Gradient);
  });
  for (CellId Id : Known) {
    AbstractValue Lost = *contents(Id);
    for (AxisId A = 0; A != Lost.Axes.size(); ++A)
      if (On & 1u << A)
        Lost.Axes[A] = AxisState();
    Lost.FreshGradient &= ~On;
    Log.noteChange(Id);
    put(Id, std::move(Lost));
  }
}

/// What all ranks have alike, and may be R or I, is in a declared storage the
/// one that is declared, by whatever name it was written.
void Storage::keepReplicas(CellId Id, AbstractValue &Now) const {
  if (Id >= F.Slots.size() || !F.Slots[Id].Declared ||
      F.Slots[Id].Declared->Exit)
    return;
  const AbstractValue Declared = initialValue(F.Slots[Id]);
  for (AxisId A = 0; A != Now.Axes.size(); ++A)
    if (isReplicaOf(Now.Axes[A], Declared.Axes[A].Set))
      Now.Axes[A].believe(Declared.Axes[A]);
}

/// What \p Id holds, which perhaps is \p New now.
AbstractValue Storage::mayBecome(CellId Id, const AbstractValue &New) {
  const AbstractValue &Before = *contents(Id);
  AbstractValue Perhaps = join(Before, New);
  keepPlace(Perhaps, Before);
  keepReplicas(Id, Perhaps);
  Perhaps.Fresh = Before.Fresh;
  Log.noteChange(Id);
  put(Id, Perhaps);
  return Perhaps;
}

void Storage::writeCell(CellId Id, const AbstractValue &Value, bool Partial,
                        CellId From, const AbstractValue *Written) {
  if (From == NoCell) {
    Spread.clear();
    SpreadFrom = Id;
    // A number that code names is no place in a buffer.
    const bool IsNumber = Id < F.Slots.size() && F.Slots[Id].Integer &&
                          F.Slots[Id].Kind == SlotKind::Global;
    if (!contents(Id)->Fresh && !Value.Zero && !IsNumber)
      loseZeros(contents(Id)->IsGradient);
  }
  if (!spreadsTo(Id, Value, Partial))
    return;
  noteForeignGradients(foreignGradient(Id, Value), Id);
  const AbstractValue Old = *contents(Id);
  AbstractValue New = Partial && !Old.Undefined ? join(Old, Value) : Value;
  // Who writes some of the elements will write the others.
  for (AxisId A = 0; A != New.Axes.size() && !Value.Undefined; ++A)
    New.Axes[A].Summed &= Value.Axes[A].Summed;
  keepPlace(New, Old);
  keepReplicas(Id, New);
  New.Fresh = Old.Fresh;
  if (Value.Zero || isZeroNumber(Value)) // to clear it puts nothing there
    New.Unwritten = Old.Unwritten;
  New.Diverged |= Old.Diverged;
  New.Parted |= Old.Parted;
  New.Reconverged |= Old.Reconverged;
  New.PromisedAlike = Old.PromisedAlike;
  New.Promise = Old.Promise;
  for (AxisId A = 0; A != New.Axes.size() && !New.Undefined; ++A) {
    const TypeSet Replicas = LocalType::R | LocalType::I;
    const std::uint32_t Bit = 1u << A;
    if ((New.Axes[A].Set & Replicas).empty()) {
      New.Diverged |= Bit;
      if (!Old.Undefined && !Old.Blank && !Value.Drawn &&
          !Old.Axes[A].Constant && Old.Axes[A].Set.subsetOf(Replicas))
        New.Parted |= Bit;
    } else if (New.Axes[A].Set.subsetOf(Replicas)) {
      New.Reconverged |= New.Parted & Bit;
    }
  }
  if (Partial && From != NoCell) // perhaps, not in part
    Log.noteChange(Id);
  else
    Log.noteWrite(Id, Partial ? Value : New);
  put(Id, New);
  writeViews(Id, Old, New, From, Written);
  writeWhole(Id, New, /*Partial=*/false);
  for (CellId Other : Alias.mayBe(Id))
    if (contents(Other)) {
      // What is written surely is not also what it was.
      if (Other == SpreadFrom)
        continue;
      noteForeignGradients(foreignGradient(Other, New), Other);
      const AbstractValue Before = *contents(Other);
      const AbstractValue Perhaps = mayBecome(Other, New);
      writeViews(Other, Before, Perhaps, From);
      writeWhole(Other, New, /*Partial=*/true);
    }
}

/// Whether on \p A some region of \p Whole surely differs between ranks, and
/// not all of it does, where its region \p Written becomes \p Part.
bool Storage::hasVaryingRegion(CellId Whole, AxisId A, CellId Written,
                               const AbstractValue &Part) const {
  const TypeSet Mixed = LocalType::R | LocalType::I | LocalType::V;
  const auto Varies = [A](const AbstractValue &C) {
    return !C.Undefined && !C.Wrong && C.Axes[A].Set == TypeSet(LocalType::V);
  };
  const auto MayBe = [&](const AbstractValue &X) {
    return X.Axes[A].Set.isAll() || X.Axes[A].Set.subsetOf(Mixed);
  };
  const AbstractValue &Is = *contents(Whole);
  if (!contents(Written)->Apart || Is.Undefined || !MayBe(Is) || !MayBe(Part))
    return false;
  return Varies(Part) ||
         llvm::any_of(Point.Now->viewsOf(Whole), [&](CellId Id) {
           const AbstractValue *View = contents(Id);
           return Id != Written && View && View->Whole == Whole &&
                  View->Apart && Varies(*View);
         });
}

/// What was added to a sum that lies in a part \p Was of \p Whole is there
/// until that part has \p Now of its own.
static const AddedReplica *addedBeside(const AbstractValue &Whole,
                                       const AbstractValue &Was,
                                       const AbstractValue &Now, AxisId A) {
  if (Now.Axes[A].Added || Whole.Undefined ||
      Whole.Axes[A].Added == Was.Axes[A].Added)
    return Now.Axes[A].Added;
  return Whole.Axes[A].Added;
}

/// \p Part was written to the storage \p Id: what that is a part of changes.
void Storage::writeWhole(CellId Id, const AbstractValue &Part, bool Partial) {
  const AbstractValue Old = *contents(Id);
  if (Old.Whole == NoCell || Part.Wrong || !contents(Old.Whole))
    return;
  const AbstractValue Whole = *contents(Old.Whole);
  AbstractValue Elsewhere = Part; // what other parts may have of it now
  AbstractValue After = Whole.Undefined ? Part : Whole;
  After.Untouched = After.Blank = false;
  After.Drawn = Part.Drawn;
  After.Unwritten &= Part.Unwritten;
  After.Zero = Part.Zero && (Whole.Undefined || Whole.Zero || !Old.Some);
  for (AxisId A = 0; A != After.Axes.size(); ++A) {
    const std::uint32_t Bit = 1u << A;
    const AxisState &Of = Part.Axes[A];
    AxisState &Out = After.Axes[A];
    if (((Old.Varies | Old.MayVary) & Bit) && Of.OfMessages && Of.Set.isAll()) {
      Out = Elsewhere.Axes[A] = Of; // who sends all parts round, has all
    } else if (Old.Varies & Bit) {
      // Each rank wrote a slice of its own: as a whole the buffer now differs
      // between ranks, whatever it was; what was zeros may be terms of a sum.
      const TypeSet Was = Whole.Undefined ? TypeSet() : Whole.Axes[A].Set;
      TypeSet Is = LocalType::V;
      if (Was.contains(LocalType::P))
        Is = Is | (Was.contains(LocalType::R) && !Was.contains(LocalType::V)
                       ? TypeSet(LocalType::P)
                       : Was);
      Out = Of.as(Is);
      if (!Out.From)
        Out.From = Old.Axes[A].From;
      // At places that its data tell each rank has terms for all others.
      const bool IsOwn = Whole.Undefined || Whole.Axes[A].Constant ||
                         Whole.Axes[A].Own != OwnTerms::No;
      if (IsOwn && Old.Axes[A].Own != OwnTerms::No && !Part.Undefined)
        Out.Own = Of.Own;
      Elsewhere.Axes[A] = Out;
    } else if ((Old.MayVary & Bit) && Of.Constant && !Whole.Undefined &&
               Whole.Axes[A].Set == TypeSet(LocalType::V)) {
      Out = Whole.Axes[A]; // zeros in what differs leave it different
    } else if (Old.MayVary & Bit) {
      const bool WasNothing = Whole.Undefined || Whole.Axes[A].Constant;
      Elsewhere.Axes[A] = Of.as(Of.Set | LocalType::V);
      // Wherever it lies, what differs makes the whole differ.
      const TypeSet Differing = LocalType::V | LocalType::P;
      const TypeSet Was =
          WasNothing ? TypeSet()
          : Of.Set == TypeSet(LocalType::V) && !Whole.Axes[A].Set.isAll()
              ? Whole.Axes[A].Set & Differing
              : Whole.Axes[A].Set;
      Out = Of.as(Of.Set | LocalType::V | Was);
    } else {
      Out = Old.Some && !Whole.Undefined ? join(Whole.Axes[A], Of) : Of;
      Out.Summed &= Of.Summed;
      // Of several elements of which nothing is known, or that all ranks have
      // alike, this one differs.
      const TypeSet Replicas = LocalType::R | LocalType::I;
      if (Old.Some && !Old.Apart && !Partial && !Whole.Undefined &&
          (Whole.Axes[A].Set.isAll() || (Whole.Axes[A].Set.subsetOf(Replicas) &&
                                         Whole.Axes[A].By != Collected::No)) &&
          Of.isSurely(LocalType::V)) {
        Out = Of;
        After.VariesInRegion |= Bit;
      }
      if (Out.Set != TypeSet(LocalType::V))
        After.VariesInRegion &= ~Bit;
      if (Out.Set != TypeSet(LocalType::V) &&
          hasVaryingRegion(Old.Whole, A, Id, Part)) {
        Out = Of.as(LocalType::V);
        Out.Own = OwnOnPaths()(Whole.Axes[A].Own, Of.Own);
        After.VariesInRegion |= Bit;
      }
      if (Old.Apart && Old.Some)
        Out.Added = addedBeside(Whole, Old, Part, A);
    }
  }
  writeCell(Old.Whole, After, Partial, Id, &Elsewhere);
  // What differs between ranks does so wherever it lies, as one of several
  // elements does.
  AxisMask Differs = Old.Some ? 0 : Old.MayVary;
  for (AxisId A = 0; Old.Some && !Old.Apart && A != Part.Axes.size(); ++A)
    if (!Part.Undefined && Part.Axes[A].isSurely(LocalType::V))
      Differs |= 1u << A;
  if (!Partial)
    Log.noteWrite(Old.Whole, Part, Differs);
}

/// \p Whole, which was \p Old, is \p New: so are the parts and views of it, as
/// far as they were what it was. The others have their old value or what was
/// written, which is \p Written or anything that \p New has.
void Storage::writeViews(CellId Whole, const AbstractValue &Old,
                         const AbstractValue &New, CellId Except,
                         const AbstractValue *Written) {
  if (New.Undefined)
    return;
  // Who writes at the beginning may write what is behind it as well.
  const bool IsApart = Except != NoCell && contents(Except)->Apart &&
                       contents(Except)->Whole == Whole;
  const bool OfRegion = IsApart && contents(Except)->Some;
  const bool IsBeside = IsApart && !OfRegion;
  for (CellId Id : Point.Now->viewsOf(Whole)) {
    const AbstractValue *Now = contents(Id);
    if (Id == Except || !Now || Now->Whole != Whole || (OfRegion && Now->Apart))
      continue;
    const AbstractValue Was = *Now;
    AbstractValue Is = Was;
    Is.Undefined = Is.Wrong = Is.Blank = false;
    Is.Unwritten &= (Written ? Written : &New)->Unwritten;
    Is.Zero = Except == NoCell ? New.Zero
                               : Was.Zero && (Written ? Written : &New)->Zero;
    for (AxisId A = 0; A != Is.Axes.size(); ++A) {
      const bool Varies = Was.Varies & 1u << A, MayVary = Was.MayVary & 1u << A;
      const auto In = [&](const AbstractValue &X) {
        return Was.Apart ? regionOf(X, A) : X.Axes[A];
      };
      const AxisState Part = partOf(In(New), Varies, MayVary, Was.Axes[A].From),
                      Before = partOf(In(Old), Varies, MayVary, nullptr);
      // Who clears all of it clears each part, whatever that was.
      const bool IsCleared = Except == NoCell && New.Axes[A].Constant;
      const TypeSet Whole = Old.Undefined ? TypeSet() : Old.Axes[A].Set;
      const bool Follows =
          Was.Undefined || IsCleared ||
          (!Old.Undefined &&
           (Was.Axes[A].Set == Before.Set ||
            (Was.Apart && !Varies && !MayVary && Was.Axes[A].Set == Whole)));
      Is.Axes[A] =
          Follows ? Part : join(Was.Axes[A], Written ? Written->Axes[A] : Part);
      if (IsBeside && Was.Apart) {
        moveOn(Is.Axes[A]);
        // Who cleared the beginning may have cleared that sum.
        Is.Axes[A].Summed &= !(Written ? Written : &New)->Axes[A].Constant;
      }
    }
    Is.PartialAtVaryingOffset =
        partialAtVaryingOffset(Is, Was.Varies | Was.PartialAtVaryingOffset);
    if (Is == Was)
      Log.noteWritten(Id);
    if (Is == Was || !spreadsTo(Id, Is, /*Partial=*/false))
      continue;
    Log.noteChange(Id);
    put(Id, Is);
    if (Is.Apart) // lists hold it without the whole
      for (CellId List : Alias.mayBe(Id))
        if (List != SpreadFrom && contents(List))
          mayBecome(List, Is);
    writeViews(Id, Was, Is, Except, Written);
  }
}

} // namespace spmd::rules::inference
