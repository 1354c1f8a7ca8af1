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
  State Left = In.Entries[From];
  runBlock(From, Left);
  if (goOn(Left, From, To) && To != NumBlocks)
    queue(To);
}

bool Dataflow::step() {
  const std::uint32_t B = Work.top().second;
  Work.pop();
  Queued[B] = false;
  if (const std::optional<Limit> Over = limitReached(++Visits[B])) {
    E.giveUp({&F, PlaceId::None, *Over});
    return false;
  }
  State S = In.Entries[B];
  runBlock(B, S);
  if (F.Blocks[B].Successors.empty())
    goOn(S, B, NumBlocks);
  const Loops &Cycles = In.Facts.Cycles;
  if (Cycles.beginsAt(B) && Visits[B] == 1)
    FirstIteration.insert(B);
  for (BlockId Succ : F.Blocks[B].Successors) {
    const std::uint32_t To = index(Succ);
    if (In.Branches.leavesIterations(B, To)) {
      Later.insert({Number[To], B, To});
      continue;
    }
    if (FirstIteration.count(B) && Cycles.leaves(B, To))
      continue;
    const bool Iterated = isBackEdge(B, To) && FirstIteration.erase(To);
    if (goOn(S, B, To) || Iterated)
      queue(To);
  }
  return true;
}

/// \p S goes on from \p From to \p To. Whether more is known there.
bool Dataflow::goOn(const State &S, std::uint32_t From, std::uint32_t To) {
  const std::optional<State> Behind = In.Branches.behind(S, From, To);
  return StateMerge(In, In.Entries[To], Behind ? *Behind : S, To).run();
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
  In.Log.beginBlock();
  In.Store.beginBlock();
  CellId Cell = In.Numbers.firstFact(Block);
  for (const Fact &X : B.Facts) {
    Point.Running = &X;
    Point.Cell = Cell++;
    Facts.run(X);
    observe(In, X);
    In.Store.forgetTemporaries(Cell);
  }
  if (B.Condition.Slot != SlotId::None && B.Successors.size() >= 2) {
    In.Branches.noteCondition(Block, In.Store.read(B.Condition.Slot));
    In.Sums.noteBranch();
  }
  In.Store.forgetTemporaries(Cell + 1);
  FactsRun += B.Facts.size();
  E.countFacts(static_cast<unsigned>(B.Facts.size()));
}

} // namespace spmd::rules::inference
