//===- Views.cpp - Parts of buffers, views of tensors, lists of handles ---===//
//
// What is written to one of them changes the others. A part or view knows its
// whole; a list may be each of the storages that it was given to hold.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// \p Id, what that is a part or view of, and so on.
llvm::SmallSetVector<CellId, 4> FunctionAnalysis::wholesOf(CellId Id) const {
  llvm::SmallSetVector<CellId, 4> Out;
  while (Id != NoCell && Out.insert(Id)) {
    const AbstractValue *C = contents(Id);
    Id = C ? C->Whole : NoCell;
  }
  return Out;
}

/// Whether what is being written is news to the storage \p Id: not a second
/// time by another way through parts, views and lists. Where these are too
/// many, nothing is known of it from here on.
bool FunctionAnalysis::spreadsTo(CellId Id, const AbstractValue &Value,
                                 bool Partial) {
  auto &Known = Spread[{Id, Partial}];
  if (llvm::is_contained(Known, Value))
    return false;
  if (Spread.size() > E.options().Caps.WrittenTogether) {
    E.giveUp({&F, CurrentFact ? placeOf(*CurrentFact) : PlaceId::None,
              Limit::WrittenTogether});
    noteChange(Id);
    put(Id, unknownValue());
    return false;
  }
  Known.push_back(Value);
  return true;
}

/// What a part is of a whole that is \p T, on an axis on which its position
/// varies, or may do so.
static AxisState partOf(AxisState T, bool Varies, bool MayVary,
                        const Origin *Slice) {
  // Parts of a pending sum are pending wherever they lie, and no op may mix
  // the sums of different elements.
  if (T.Set == TypeSet(LocalType::P))
    return T;
  const bool Pending = T.Set.contains(LocalType::P);
  if (Varies)
    return AxisState::of(Pending ? TypeSet::all() : TypeSet(LocalType::V),
                         Slice);
  if (MayVary) {
    T.Set = Pending && !T.Set.isAll() ? TypeSet::all() : T.Set | LocalType::V;
    T.May = T.Set.isAll() ? TypeSet::none() : T.Set;
  }
  return T;
}

/// On which of the axes \p Varies the part \p C of a whole is pending still.
static std::uint32_t partialAtVaryingOffset(const AbstractValue &C,
                                            std::uint32_t Varies) {
  std::uint32_t Out = 0;
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (C.Axes[A].Set == TypeSet(LocalType::P))
      Out |= Varies & 1u << A;
  return Out;
}

/// \p Part was written to the storage \p Id: what that is a part of changes.
void FunctionAnalysis::writeWhole(CellId Id, const AbstractValue &Part,
                                  bool Partial) {
  const AbstractValue Old = *contents(Id);
  if (Old.Whole == NoCell || Part.Wrong || !contents(Old.Whole))
    return;
  const AbstractValue Whole = *contents(Old.Whole);
  AbstractValue After = Whole.Undefined ? Part : Whole;
  for (AxisId A = 0; A != After.Axes.size(); ++A) {
    const std::uint32_t Bit = 1u << A;
    const AxisState &Of = Part.Axes[A];
    AxisState &Out = After.Axes[A];
    if (Old.Varies & Bit) {
      // Each rank wrote a slice of its own: as a whole the buffer now differs
      // between ranks, whatever it was.
      const bool WasPartial =
          Whole.Axes[A].Set.contains(LocalType::P) && !Whole.Undefined;
      Out = Of.as(WasPartial ? TypeSet(LocalType::V) | Whole.Axes[A].Set
                             : TypeSet(LocalType::V));
      if (!Out.From)
        Out.From = Old.Axes[A].From;
    } else if (Old.MayVary & Bit) {
      Out = Of.as(Of.Set | LocalType::V |
                  (Whole.Undefined ? TypeSet() : Whole.Axes[A].Set));
    } else {
      Out = Old.Some && !Whole.Undefined ? join(Whole.Axes[A], Of) : Of;
    }
  }
  writeCell(Old.Whole, After, Partial, Id);
  // What differs between ranks does so wherever it lies.
  if (!Partial && !Old.Some)
    noteWrite(Old.Whole, Part, Old.MayVary);
}

/// \p Whole, which was \p Old, is \p New: so are the parts and views of it, as
/// far as they were what it was.
void FunctionAnalysis::writeViews(CellId Whole, const AbstractValue &Old,
                                  const AbstractValue &New, CellId Except) {
  if (New.Undefined)
    return;
  for (CellId Id : Current->viewsOf(Whole)) {
    const AbstractValue *Now = contents(Id);
    if (Id == Except || !Now || Now->Whole != Whole)
      continue;
    const AbstractValue Was = *Now;
    AbstractValue Is = Was;
    Is.Undefined = Is.Wrong = false;
    for (AxisId A = 0; A != Is.Axes.size(); ++A) {
      const bool Varies = Was.Varies & 1u << A, MayVary = Was.MayVary & 1u << A;
      const AxisState Part = partOf(New.Axes[A], Varies, MayVary,
                                    Was.Axes[A].From),
                      Before = partOf(Old.Axes[A], Varies, MayVary, nullptr);
      const bool Follows =
          Was.Undefined || (!Old.Undefined && Was.Axes[A].Set == Before.Set);
      Is.Axes[A] = Follows ? Part : join(Was.Axes[A], Part);
    }
    Is.PartialAtVaryingOffset =
        partialAtVaryingOffset(Is, Was.Varies | Was.PartialAtVaryingOffset);
    if (Is == Was || !spreadsTo(Id, Is, /*Partial=*/false))
      continue;
    noteChange(Id);
    put(Id, Is);
    writeViews(Id, Was, Is, Except);
  }
}

void FunctionAnalysis::transfer(const ViewFact &V) {
  const CellId Whole = cellOf(V.Src.Slot);
  std::uint32_t Varies = 0, MayVary = 0;
  if (V.Offset.Slot != SlotId::None) {
    const AbstractValue &Offset = read(V.Offset.Slot);
    for (AxisId A = 0; A != Offset.Axes.size(); ++A) {
      const TypeSet Set = Offset.Axes[A].Set;
      if (Offset.Undefined || !Set.contains(LocalType::V))
        continue;
      if (Set.isSingle())
        Varies |= 1u << A;
      else if (!V.Element)
        MayVary |= 1u << A;
    }
  }
  if (!(Varies | MayVary) && !V.Handle) {
    bind(V.Dst, Whole);
    return;
  }
  AbstractValue Part = *contents(Whole);
  Part.Whole = Whole;
  Part.Varies = Varies;
  Part.MayVary = MayVary;
  Part.Some = V.Handle;
  if (Varies | MayVary)
    Part.Spec = nullptr;
  const Origin *Slice =
      Varies ? origin(Origin::Kind::Op, V.At, "a slice that differs per rank")
             : nullptr;
  for (AxisId A = 0; A != Part.Axes.size(); ++A)
    Part.Axes[A] =
        partOf(Part.Axes[A], Varies & 1u << A, MayVary & 1u << A, Slice);
  Part.PartialAtVaryingOffset =
      partialAtVaryingOffset(Part, Varies | Part.PartialAtVaryingOffset);
  define(V.Dst, std::move(Part));
}

/// The type of the operand that the result of \p O is a view of.
static std::optional<std::size_t> viewedOperand(const OpFact &O) {
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (O.Rule->Formals[O.FormalOf[I]].Name == O.Rule->Views)
      return I;
  return std::nullopt;
}

/// Whether operand \p I says which part of a pending sum is looked at: wherever
/// that is, it is pending, as is a part of a buffer.
bool FunctionAnalysis::slicesPending(const OpFact &O,
                                     llvm::ArrayRef<TypeSet> Sets,
                                     std::size_t I) const {
  if (O.Rule->Views.empty() || O.Rule->HowMuch != ViewKind::Part)
    return false;
  const std::optional<std::size_t> Of = viewedOperand(O);
  return Of && *Of != I && Sets[*Of] == TypeSet(LocalType::P) &&
         Sets[I].contains(LocalType::V);
}

/// \p Result shares storage with the operand that \p O is a view of.
void FunctionAnalysis::viewOperand(const OpFact &O, AbstractValue &Result) {
  const std::optional<std::size_t> Of = viewedOperand(O);
  if (!Of)
    return;
  Result.Whole = cellOf(O.Operands[*Of].Slot);
  Result.Some = O.Rule->HowMuch != ViewKind::All;
  Result.PartialAtVaryingOffset = partialAtVaryingOffset(
      Result, contents(Result.Whole)->PartialAtVaryingOffset);
  if (O.Rule->HowMuch != ViewKind::Part)
    return;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &At = read(O.Operands[I].Slot);
    for (AxisId A = 0; I != *Of && !At.Undefined && A != At.Axes.size(); ++A)
      if (At.Axes[A].Set == TypeSet(LocalType::V))
        Result.Varies |= 1u << A;
  }
  Result.PartialAtVaryingOffset |=
      partialAtVaryingOffset(Result, Result.Varies);
}

/// \p Value is read as if it were a pending sum: no rank has all of its terms.
/// Reports it once.
bool FunctionAnalysis::readsPartialAtVaryingOffset(const Operand &Value,
                                                   AxisId A, PlaceId At,
                                                   llvm::StringRef Op) {
  const CellId Id = cellOf(Value.Slot);
  const AbstractValue &C = *contents(Id);
  if (C.Undefined || !(C.PartialAtVaryingOffset & 1u << A) ||
      C.Axes[A].Set != TypeSet(LocalType::P))
    return false;
  if (Reporting && PartialReads.insert({Id, A}).second) {
    Violation V = violation(ViolationKind::PartialProduct, At, A, Op);
    V.Cause = nullptr; // what it is a part of must be reduced
    V.Alone = Unreadable::PartialAtVaryingOffset;
    V.Operands.push_back(operandOf(Value, C.Axes[A]));
    E.report(std::move(V));
  }
  return true;
}

/// \p From and what one gets to from there.
static llvm::SmallVector<CellId, 4>
reach(const llvm::DenseMap<CellId, llvm::SmallVector<CellId, 4>> &Edges,
      llvm::SmallVector<CellId, 4> From) {
  llvm::DenseSet<CellId> Seen(From.begin(), From.end());
  for (std::size_t I = 0; I != From.size(); ++I)
    if (auto It = Edges.find(From[I]); It != Edges.end())
      for (CellId Found : It->second)
        if (Seen.insert(Found).second)
          From.push_back(Found);
  return From;
}

/// What the merge or list \p Id may be, and itself.
llvm::SmallVector<CellId, 4> FunctionAnalysis::heldBy(CellId Id) const {
  return reach(MergedFrom, {Id});
}

/// The cells that may be the storage \p Id, or not. A merge is one of what it
/// was made of, a list each of what it was given, in the end of cells that are
/// neither; two cells may be one storage if they have one of these in common.
llvm::SmallVector<CellId, 4> FunctionAnalysis::mayBe(CellId Id) const {
  if (!MergedFrom.count(Id) && !MergedInto.count(Id))
    return {};
  llvm::SmallVector<CellId, 4> Storages = heldBy(Id);
  const auto Leaf = [&](CellId X) { return !MergedFrom.count(X); };
  if (llvm::any_of(Storages, Leaf)) // else lists in each other
    llvm::erase_if(Storages, [&](CellId X) { return !Leaf(X); });
  llvm::SmallVector<CellId, 4> Out = reach(MergedInto, std::move(Storages));
  llvm::erase(Out, Id);
  return Out;
}

/// \p List may be the storage \p Member.
void FunctionAnalysis::mayHold(CellId List, CellId Member) {
  if (Member == List)
    return;
  llvm::SmallVector<CellId, 4> &From = MergedFrom[List];
  if (llvm::is_contained(From, Member))
    return;
  From.push_back(Member);
  MergedInto[Member].push_back(List);
}

/// A handle to \p Member is put into \p List, and so into a list that it is in.
void FunctionAnalysis::joinList(CellId List, CellId Member) {
  const AbstractValue Value = *contents(Member);
  const auto Held = wholesOf(Member);
  for (CellId In : wholesOf(List)) {
    const AbstractValue *C = contents(In);
    if (!C)
      return;
    const AbstractValue Old = *C;
    AbstractValue New = Old.Undefined ? Value : join(Old, Value);
    keepPlace(New, Old);
    New.Diverged = Old.Diverged;
    New.Reconverged = Old.Reconverged;
    noteWritten(In);
    put(In, std::move(New));
    for (CellId Of : Held)
      mayHold(In, Of);
  }
}

} // namespace spmd::rules::inference
