//===- Dataflow.cpp - From facts to settled states ------------------------===//

#include "Dataflow.h"

#include "StateMerge.h"
#include "body/Observe.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool Dataflow::settle() {
  bool Again = true;
  while (Again) {
    if (!settleOnce())
      return false;
    // Both are asked: each takes note of what was seen.
    Again = In.Branches.update();
    Again |= In.Sums.foundNoSum();
  }
  return true;
}

void Dataflow::begin() {
  In.Entries.assign(NumBlocks + 1,
                    State(In.Numbers.returnSlot() + 1, E.arena()));
  In.Sums.begin();
  In.Entries[0] = In.Start;
  Number.clear();
  if (!In.Branches.empty())
    Number = ControlFlow::numberInOrder(F);
  Queued.assign(NumBlocks, false);
  Visits.assign(NumBlocks, 0);
  Work = {};
  Later.clear();
  FirstIteration.clear();
  Iterated.clear();
  In.BeforeSums.clear();
  queue(0);
}

void Dataflow::queue(std::uint32_t Block) {
  if (!Queued[Block])
    Work.emplace(Number.empty() ? Block : Number[Block], Block);
  Queued[Block] = true;
}

bool Dataflow::settleOnce() {
  begin();
  while (!Work.empty() || !FirstIteration.empty() || !Later.empty()) {
    if (!Later.empty() &&
        (Work.empty() || Later.begin()->front() <= Work.top().first)) {
      leaveLater();
      continue;
    }
    if (Work.empty()) {
      queue(*FirstIteration.begin());
      FirstIteration.erase(FirstIteration.begin());
    }
    if (!step())
      return false;
  }
  return true;
}

void Dataflow::leaveLater() {
  const auto [At, From, To] = *Later.begin();
  Later.erase(Later.begin());
  if (goOn(after(From, In.Entries[From]), From, To) && To != NumBlocks)
    queue(To);
}

State Dataflow::after(std::uint32_t Block, const State &Before) {
  State S = Before;
  runBlock(Block, S);
  return S;
}

/// \p Either way a value comes to the end of a loop, or \p Iterated: what was
/// a replica before the loop, or nobody described, and is none after an
/// iteration is that.
static std::optional<AbstractValue>
afterIteration(const AbstractValue *Either, const AbstractValue *Iterated) {
  if (!Either || !Iterated || Either->Undefined || Iterated->Undefined)
    return std::nullopt;
  AbstractValue Out = *Either;
  bool Changed = false;
  for (AxisId A = 0; A != Out.Axes.size(); ++A) {
    const AxisState &After = Iterated->Axes[A];
    Changed |= Out.Axes[A].Summed && !After.Summed;
    Out.Axes[A].Summed &= After.Summed;
    const TypeSet Was = Out.Axes[A].Set;
    const bool Follows =
        Was.isAll() || (Was - After.Set).subsetOf(LocalType::R | LocalType::I);
    if (Was == After.Set || !Follows || !After.Set.isSingle() ||
        !After.Set.subsetOf(LocalType::V | LocalType::P))
      continue;
    Out.Axes[A] = After;
    Out.VariesInRegion |= Iterated->VariesInRegion & 1u << A;
    Changed = true;
  }
  return Changed ? std::optional(std::move(Out)) : std::nullopt;
}

/// The cells of tensors that the lists have of which the loop at \p Head has
/// another element in each iteration, with what each holds in \p Before and in
/// \p After one. Gradients that are asked for are no part of a list.
void Dataflow::forEachVisited(std::uint32_t Head, const State &Before,
                              const State &After, OnVisitedFn Take) const {
  for (const VisitedLists::List &List : In.Facts.Visited.in(Head)) {
    llvm::SmallVector<SlotId, 8> Names(In.Facts.Objects.fieldsOf(List.Of));
    while (!Names.empty()) {
      const SlotId Name = Names.pop_back_val();
      llvm::append_range(Names, In.Facts.Objects.fieldsOf(Name));
      const CellId Id = Before.cellOf(index(Name));
      const AbstractValue *Was = Before.contents(Id), *Is = After.contents(Id);
      if (F.slot(Name).IsTensor && Was && Is &&
          Id == After.cellOf(index(Name)) && Was->Gradient == NoCell &&
          Is->Gradient == NoCell && *Was != *Is)
        Take(Id, *Was, *Is, List);
    }
  }
}

/// An iteration of the loop at \p Head ends with \p S: the next one has other
/// elements, which are as they were.
State Dataflow::withNextElements(const State &S, std::uint32_t Head) const {
  State Out = S;
  forEachVisited(Head, In.Entries[Head], S,
                 [&](CellId Id, const AbstractValue &Was, const AbstractValue &,
                     const VisitedLists::List &) { Out.put(Id, Was); });
  return Out;
}

/// What \p Loop begins with the last time; none where that is no more than what
/// it begins with any time.
std::optional<State> Dataflow::lastEntryOf(std::uint32_t Loop) {
  const auto Of = Iterated.find(Loop);
  if (Of == Iterated.end())
    return std::nullopt;
  const State &Either = In.Entries[Loop], &Round = Of->second;
  std::optional<State> Last;
  const auto Sharpen = [&](CellId Id, CellId OfRound) {
    if (auto Now =
            afterIteration(Either.contents(Id), Round.contents(OfRound))) {
      if (!Last)
        Last = Either;
      Last->put(Id, std::move(*Now));
      In.ChangedByLoops.insert(Id);
    }
  };
  State::forEachChanged(Either, Round, [&](CellId Id) { Sharpen(Id, Id); });
  State::forEachRenamed(Either, Round, [&](std::uint32_t Slot) {
    Sharpen(Either.cellOf(Slot), Round.cellOf(Slot));
  });
  const auto Visit = [&](CellId Id, const AbstractValue &Was,
                         const AbstractValue &Is,
                         const VisitedLists::List &List) {
    if (!Last)
      Last = Either;
    AbstractValue Now = List.Wholly ? Is : join(Was, Is);
    if (auto Sharper = afterIteration(&Now, &Is))
      Now = std::move(*Sharper);
    In.Store.leaveLoop(Now);
    Last->put(Id, std::move(Now));
    In.ChangedByLoops.insert(Id);
  };
  forEachVisited(Loop, Either, Round, Visit);
  // A backward pass in each iteration makes all gradients anew.
  if ((Either.ForeignGradients & ~Round.ForeignGradients) != 0) {
    if (!Last)
      Last = Either;
    Last->ForeignGradients = Round.ForeignGradients;
  }
  return Last;
}

/// Where \p B may go on with the numbers that the call gives.
llvm::ArrayRef<BlockId> Dataflow::successors(const Block &B) {
  const llvm::ArrayRef<BlockId> All = B.Successors;
  if (!B.Test || B.Test->Parameter == SlotId::None || All.empty())
    return All;
  for (const auto &[Parameter, Is] : In.C.Numbers)
    if (SlotId(Parameter) == B.Test->Parameter) {
      const bool Holds = B.Test->holdsFor(Is);
      if (All.size() == 2)
        return All.slice(Holds ? 0 : 1, 1);
      LeftWay |= !Holds;
      return Holds ? All : llvm::ArrayRef<BlockId>();
    }
  return All;
}

bool Dataflow::step() {
  const std::uint32_t B = Work.top().second;
  Work.pop();
  Queued[B] = false;
  if (const std::optional<Limit> Over = limitReached(++Visits[B])) {
    E.giveUp({&F, PlaceId::None, *Over});
    return false;
  }
  const State S = after(B, In.Entries[B]);
  if (In.Point.IsOffWay) {
    LeftWay = true;
    return true;
  }
  if (F.Blocks[B].Successors.empty())
    goOn(S, B, NumBlocks);
  const Loops &Cycles = In.Facts.Cycles;
  if (Cycles.beginsAt(B) && Visits[B] == 1)
    FirstIteration.insert(B);
  // Where a loop is left it is decided that there is no more iteration.
  const std::uint32_t Loop = Cycles.loopOfCondition(B);
  std::optional<State> Last = lastEntryOf(Loop);
  for (std::uint32_t Part : Cycles.conditionOf(Loop)) {
    if (!Last)
      break;
    runBlock(Part, *Last);
    if (Part == B)
      break;
  }
  for (BlockId Succ : successors(F.Blocks[B])) {
    const std::uint32_t To = index(Succ);
    if (In.Branches.leavesIterations(B, To)) {
      Later.insert({Number[To], B, To});
      continue;
    }
    const bool Leaves = Cycles.leaves(Loop, To);
    if (FirstIteration.count(Loop) && Leaves)
      continue;
    const State &There = Last && Leaves ? *Last : S;
    const bool More = isBackEdge(B, To) && !In.Facts.Visited.in(To).empty()
                          ? goOn(withNextElements(There, To), B, To)
                          : goOn(There, B, To);
    if (goRound(S, B, To)) {
      for (std::uint32_t Part : Cycles.conditionOf(To))
        if (In.Entries[Part].Reached)
          queue(Part);
    } else if (More) {
      queue(To);
    }
  }
  return true;
}

/// \p S goes on from \p From to \p To. Whether more is known there.
bool Dataflow::goOn(const State &S, std::uint32_t From, std::uint32_t To) {
  const std::optional<State> Behind = In.Branches.behind(S, From, To);
  const State &There = Behind ? *Behind : S;
  // An iteration that is run by itself is not entered by its condition.
  for (const std::uint32_t Loop : In.Facts.Accumulated.loops())
    if (In.Facts.Cycles.leaves(Loop, From) &&
        !In.Facts.Cycles.leaves(Loop, To)) {
      const auto At =
          In.BeforeSums
              .try_emplace(Loop, In.Numbers.returnSlot() + 1, E.arena())
              .first;
      StateMerge(In, At->second, There, To).run();
    }
  return StateMerge(In, In.Entries[To], There, To).run();
}

/// Whether \p To begins a loop and has more to see after an iteration that
/// ends at \p From.
bool Dataflow::goRound(const State &S, std::uint32_t From, std::uint32_t To) {
  if (!isBackEdge(From, To) || !In.Facts.Cycles.beginsAt(To))
    return false;
  const bool IsFirst = FirstIteration.erase(To) != 0;
  const auto [At, New] =
      Iterated.try_emplace(To, In.Numbers.returnSlot() + 1, E.arena());
  const std::optional<State> Behind = In.Branches.behind(S, From, To);
  const bool More = StateMerge(In, At->second, Behind ? *Behind : S, To).run();
  return More || IsFirst || New;
}

std::optional<Limit> Dataflow::limitReached(unsigned VisitsOfBlock) const {
  const Limits &Caps = E.options().Caps;
  if (VisitsOfBlock > Caps.Visits)
    return Limit::Visits;
  if (FactsRun > Caps.Facts)
    return Limit::Facts;
  if (E.arena().numValues() > ValuesBefore + Caps.Values)
    return Limit::Values;
  return std::nullopt;
}

void Dataflow::runBlock(std::uint32_t Block, State &S) {
  ProgramPoint &Point = In.Point;
  const rules::Block &B = F.Blocks[Block];
  Point.Now = &S;
  Point.Block = Block;
  Point.Facts = &B.Facts;
  Point.IsOffWay = false;
  In.Log.beginBlock();
  In.Store.beginBlock();
  CellId Cell = In.Numbers.firstFact(Block);
  for (const Fact &X : B.Facts) {
    Point.Running = &X;
    Point.Cell = Cell++;
    observeTaken(In, X);
    Facts.run(X);
    if (Point.IsOffWay)
      return;
    observe(In, X);
    In.Store.forgetTemporaries(Cell);
  }
  if (B.Condition.Slot != SlotId::None && B.Successors.size() >= 2) {
    AbstractValue Decides = In.Store.read(B.Condition.Slot);
    Meetings.forgetMet(Block, Decides);
    In.Branches.noteCondition(Block, Decides);
    In.Sums.noteBranch();
  }
  In.Store.forgetTemporaries(Cell + 1);
  FactsRun += B.Facts.size();
  E.countFacts(static_cast<unsigned>(B.Facts.size()));
}

} // namespace spmd::rules::inference
