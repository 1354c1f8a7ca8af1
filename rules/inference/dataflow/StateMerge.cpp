//===- StateMerge.cpp - Where ways meet -----------------------------------===//

#include "StateMerge.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool StateMerge::run() {
  if (!Into.Reached) {
    Into = From;
    return true;
  }
  Left = In.Branches.leftAt(Block);
  Out.ForeignGradients |= From.ForeignGradients;
  Changed |= Out.ForeignGradients != Into.ForeignGradients;
  mergeNames();
  mergeContents();
  for (const auto &[Id, Value] : JoinedGradients)
    set(Id, Value);
  for (CellId Id : Lost)
    Out.release(Id);
  Into = std::move(Out);
  return Changed;
}

/// The slots whose storage is to be merged.
std::set<std::uint32_t> StateMerge::slotsToMerge() const {
  std::set<std::uint32_t> Slots;
  State::forEachRenamed(Into, From,
                        [&](std::uint32_t Slot) { Slots.insert(Slot); });
  // What this block merged on an earlier visit may be the storage of an earlier
  // iteration.
  if (In.Numbers.mergesAt(Block))
    Into.forEachName([&](std::uint32_t Slot, CellId Id) {
      if (In.Numbers.blockOfMerge(Id) == Block && From.cellOf(Slot) == Id)
        Slots.insert(Slot);
    });
  return Slots;
}

void StateMerge::mergeNames() {
  for (const std::uint32_t Slot : slotsToMerge())
    mergeName(Slot);
}

/// The storage that \p Slot, and what else named the same two with it, names
/// where paths meet.
void StateMerge::mergeName(std::uint32_t Slot) {
  const CellId A = Into.cellOf(Slot), B = From.cellOf(Slot);
  // A list that no loop has filled is empty.
  const SlotId Paired = In.Facts.InLists.pairedBy(SlotId(Slot));
  if (A != B && Paired != SlotId::None) {
    if (Store.isUnfilled(From, Paired))
      return;
    if (Store.isUnfilled(Into, Paired)) {
      Out.name(Slot, B);
      Lost.push_back(A);
      Changed = true;
      return;
    }
  }
  const auto [It, First] = Merges.try_emplace({A, B}, A);
  if (First) {
    It->second = In.Numbers.mergeAt(Block, Slot);
    In.Alias.mayHold(It->second, A);
    In.Alias.mayHold(It->second, B);
  }
  const CellId M = It->second;
  const BranchList On = meeting([&](const WriteLog::Effects &By) {
    return (A != B && By.Slots.count(Slot)) || By.Cells.count(A) ||
           By.Cells.count(B);
  });
  const AxisMask Kept = In.Sums.mergeAdded(A, B, M, Block, On);
  AbstractValue InitialA, InitialB;
  AbstractValue Joined =
      join(Store.valueIn(Into, A, InitialA), Store.valueIn(From, B, InitialB),
           A == B, On, Kept);
  if (M != A && Into.contents(M))
    Joined = join(*Into.contents(M), Joined, A == B, On, Kept);
  Joined = ofSomeClass(std::move(Joined), Store.valueIn(Into, A, InitialA),
                       Store.valueIn(From, B, InitialB), In.Start.cellOf(Slot));
  noteMeeting(M, Joined, On);
  joinGradient(Joined, A, B);
  set(M, Joined);
  Merged.insert(M);
  if (M != A) {
    Out.name(Slot, M);
    Lost.push_back(A);
    Changed = true;
  }
}

void StateMerge::mergeContents() {
  llvm::SmallVector<CellId, 32> Cells;
  State::forEachChanged(Into, From, [&](CellId Id) { Cells.push_back(Id); });
  for (const DivergentBranches::Left &L : Left)
    Cells.append(L.By.Cells.begin(), L.By.Cells.end());
  llvm::sort(Cells);
  Cells.erase(llvm::unique(Cells), Cells.end());
  for (CellId Id : Cells)
    if (AbstractValue Joined; Into.contents(Id) && From.contents(Id))
      joinGradient(Joined, Id, Id);
  // Views come after what they are views of.
  for (CellId Id : llvm::reverse(Cells)) {
    const bool InInto = Into.contents(Id), InFrom = From.contents(Id);
    if (Merged.contains(Id) || !(InInto || InFrom))
      continue;
    // What only one path has is there for who came that way.
    if (Id > In.Numbers.returnSlot() && !(InInto && InFrom)) {
      if (!InInto && Out.isSeen(Id)) {
        Out.put(Id, *From.contents(Id));
        Changed = true;
      }
      continue;
    }
    const BranchList On = meeting(
        [Id](const WriteLog::Effects &By) { return By.Cells.count(Id) != 0; });
    const AxisMask Kept = In.Sums.mergeAdded(Id, Id, Id, Block, On);
    AbstractValue InitialA, InitialB;
    AbstractValue Joined = join(Store.valueIn(Into, Id, InitialA),
                                Store.valueIn(From, Id, InitialB),
                                /*OneStorage=*/true, On, Kept);
    if (Joined.Drawn)
      keepInStep(Joined, Id, On);
    Joined = ofSomeClass(std::move(Joined), Store.valueIn(Into, Id, InitialA),
                         Store.valueIn(From, Id, InitialB), Id);
    noteMeeting(Id, Joined, On);
    joinGradient(Joined, Id, Id);
    set(Id, Joined);
  }
}

/// Whether \p Id is written on both ways of the branch at the end of \p At that
/// meet in this block.
bool StateMerge::writesOnEachWay(std::uint32_t At,
                                 const DivergentBranches::Branch &B,
                                 CellId Id) const {
  return llvm::all_of(In.F.Blocks[At].Successors, [&](BlockId Way) {
    const llvm::BitVector Here = reachedFrom(In.F, index(Way), At);
    return llvm::any_of(B.Region.Reconvergences, [&](const auto &M) {
      return M.At == Block && llvm::any_of(M.Before, [&](unsigned X) {
               return Here.test(X) && In.Log.effectsOf(X).Cells.count(Id);
             });
    });
  });
}

/// A generator that draws on each of the ways may have drawn as often on all of
/// them: `if (rank == 0) w = normal(gen); else gen.discard(1);`.
void StateMerge::keepInStep(AbstractValue &Joined, CellId Id,
                            const BranchList &On) const {
  for (const auto &[At, B] : In.Branches.byBlock())
    if (llvm::is_contained(On, &B) && writesOnEachWay(At, B, Id))
      for (AxisId A = 0; A != Joined.Axes.size(); ++A)
        if (B.Differs & 1u << A)
          Joined.Axes[A] = AxisState();
}

AbstractValue StateMerge::join(const AbstractValue &A, const AbstractValue &B,
                               bool OneStorage, const BranchList &On,
                               AxisMask Kept) const {
  const bool Iterates =
      OneStorage && (In.F.IsKernel || (Block != In.F.Blocks.size() &&
                                       In.Facts.Cycles.beginsAt(Block)));
  const auto Join = [&](const AbstractValue &A, const AbstractValue &B) {
    return Iterates ? joinIterations(A, B, In.F.IsKernel)
                    : inference::join(A, B);
  };
  return In.Branches.joinDiverged(A, B, On, Kept, Join);
}

/// Each way of a virtual call is that of some objects: what one class's method
/// makes differ between ranks, and all of them have alike by declaration, does
/// so, whatever the others do to theirs. A class that leaves it alone, where
/// another one's method makes it the same again, need not have any.
AbstractValue StateMerge::ofSomeClass(AbstractValue Joined,
                                      const AbstractValue &A,
                                      const AbstractValue &B,
                                      CellId Entry) const {
  if (!In.F.IsChoice || Block != In.F.Blocks.size())
    return Joined;
  AbstractValue Initial;
  const AbstractValue &Before = Store.valueIn(In.Start, Entry, Initial);
  for (AxisId X = 0; X != Joined.Axes.size(); ++X) {
    if (!(Before.PromisedAlike & 1u << X))
      continue;
    const AxisState &Was = Before.Axes[X];
    const bool Differed = !Before.Undefined && Was.isSurely(LocalType::V);
    const auto IsReplica = [X](const AbstractValue &C) {
      return !C.Undefined &&
             C.Axes[X].Set.subsetOf(LocalType::R | LocalType::I);
    };
    for (const AbstractValue *Way : {&A, &B}) {
      const AxisState &Is = Way->Axes[X], &Other = (Way == &A ? B : A).Axes[X];
      if (!Way->Undefined && !Differed && Is.isSurely(LocalType::V))
        Joined.Axes[X] = Is;
      else if (IsReplica(*Way) && !Was.Set.isAll() && Other == Was)
        Joined.Axes[X] = Is;
    }
  }
  return Joined;
}

void StateMerge::joinGradient(AbstractValue &Joined, CellId A, CellId B) {
  const AbstractValue *OfA = Gradients::gradientOf(Into, A),
                      *OfB = Gradients::gradientOf(From, B);
  if (!OfA && !OfB)
    return;
  AbstractValue InitialA, InitialB;
  const AbstractValue &InA = Store.valueIn(Into, A, InitialA),
                      &InB = Store.valueIn(From, B, InitialB);
  // Of one that only one path asked for, what that did to it is told from the
  // asking by its type.
  const bool IsAsked = (OfA || In.Grads.isAsAsked(InB, *OfB)) &&
                       (OfB || In.Grads.isAsAsked(InA, *OfA));
  const BranchList On = meeting([&](const WriteLog::Effects &By) {
    return ((OfA && OfB) || !IsAsked) &&
           (By.Cells.count(InA.Gradient) || By.Cells.count(InB.Gradient));
  });
  const AbstractValue Gradient = In.Grads.join(
      InA, OfA, InB, OfB, [&](const AbstractValue &X, const AbstractValue &Y) {
        return In.Branches.joinDiverged(
            X, Y, On, /*Kept=*/0,
            [](const AbstractValue &P, const AbstractValue &Q) {
              return inference::join(P, Q);
            });
      });
  Joined.Gradient = OfA ? InA.Gradient : InB.Gradient;
  Merged.insert(Joined.Gradient);
  JoinedGradients.insert_or_assign(Joined.Gradient, Gradient);
}

StateMerge::BranchList StateMerge::meeting(
    llvm::function_ref<bool(const WriteLog::Effects &)> Changes) const {
  BranchList On;
  for (const DivergentBranches::Left &L : Left)
    if (Changes(L.By))
      On.push_back(L.Of);
  return On;
}

void StateMerge::noteMeeting(CellId Id, const AbstractValue &Now,
                             const BranchList &On) {
  AxisMask Differs = 0;
  for (const DivergentBranches::Branch *X : On)
    Differs |= X->Differs;
  if (Differs && Block != In.F.Blocks.size())
    In.Log.noteMeeting(Block, Id, Now, Differs);
}

void StateMerge::set(CellId Id, const AbstractValue &New) {
  const AbstractValue *Old = Into.contents(Id);
  if (Old && *Old == New)
    return;
  Out.put(Id, New);
  Changed = true;
}

} // namespace spmd::rules::inference
