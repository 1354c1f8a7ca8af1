//===- PeeledIteration.cpp - One iteration of a loop by itself ------------===//

#include "PeeledIteration.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

PeeledIteration::PeeledIteration(Function &Of, std::uint32_t Loop, Then What,
                                 llvm::ArrayRef<std::uint32_t> Decided)
    : F(Of), Cycles(F, [](std::uint32_t) { return true; }), Loop(Loop),
      What(What), Decided(Decided) {
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    if (Cycles.beginsAt(Loop) && !Cycles.leaves(Loop, B))
      Body.push_back(B);
  // The very facts: findings point to them.
  Before.swap(F.Blocks);
  number();
  build();
}

std::uint32_t PeeledIteration::add(std::uint32_t Of) {
  Was.push_back(Of);
  return static_cast<std::uint32_t>(Was.size()) - 1;
}

void PeeledIteration::addIteration() {
  for (const std::uint32_t Inside : Body) {
    if (beginsLoopInside(Inside))
      Entry[Inside] = add(Inside);
    Copy[Inside] = add(Inside);
  }
  End = add(None);
}

/// Blocks stay in an order in which only loops go back: a new one leads into
/// the loop and into the iteration, whose blocks, and the end, come behind the
/// loop, or before it if that follows. Where it leads back, it is behind, too.
void PeeledIteration::number() {
  const std::uint32_t Last = Body.empty() ? Loop : Body.back();
  Now.resize(Before.size());
  Copy.assign(Before.size(), None);
  Entry.assign(Before.size(), None);
  for (std::uint32_t B = 0; B != Before.size(); ++B) {
    if (B == Loop && !isAfterFirst()) {
      Start = add(None);
      if (comesToExit())
        addIteration();
    }
    Now[B] = add(B);
    if (B == Last && isAfterFirst())
      Start = add(None);
    if (B == Last && !comesToExit())
      addIteration();
  }
}

void PeeledIteration::build() {
  std::vector<Block> Blocks(Was.size());
  for (std::uint32_t B = 0; B != Before.size(); ++B) {
    Block &Here = Blocks[Now[B]] = Before[B];
    for (BlockId &To : Here.Successors)
      To = BlockId(index(To) == Loop && (!isAfterFirst() || B >= Loop)
                       ? Start
                       : Now[index(To)]);
  }
  for (const std::uint32_t B : Body) {
    Block &Here = Blocks[Copy[B]] = Before[B];
    for (BlockId &To : Here.Successors)
      To = inCopy(B, To);
  }
  Blocks[Start].Successors = {BlockId(Now[Loop])};
  // Else what follows is another matter.
  Blocks[End].Successors = {BlockId(comesToExit() ? Now[Loop] : End)};
  F.Blocks = std::move(Blocks);
  for (const std::uint32_t B : Body)
    if (beginsLoopInside(B))
      enterLoopInside(B);
  enter();
  if (What == Then::Exit)
    leave();
}

/// Where the edge from \p From to \p To leads in the iteration.
BlockId PeeledIteration::inCopy(std::uint32_t From, BlockId To) const {
  const std::uint32_t Into = index(To);
  if (Into == Loop)
    return BlockId(End);
  // Who returns or gives up in it goes round no more.
  if (Copy[Into] == None)
    return BlockId(What == Then::Others || What == Then::Exit ? Now[Into]
                                                              : End);
  const bool Begins = Entry[Into] != None && Cycles.leaves(Into, From);
  return BlockId(Begins ? Entry[Into] : Copy[Into]);
}

void PeeledIteration::decideNothing(Block &B) {
  if (B.Successors.size() != 1)
    return;
  B.Condition = {};
  B.Test.reset();
}

void PeeledIteration::enterLoopInside(std::uint32_t Head) {
  Block &First = F.Blocks[Entry[Head]] = Before[Head];
  if (llvm::any_of(First.Successors,
                   [&](BlockId To) { return !Cycles.leaves(Head, index(To)); }))
    llvm::erase_if(First.Successors,
                   [&](BlockId To) { return Cycles.leaves(Head, index(To)); });
  for (BlockId &To : First.Successors)
    To = inCopy(Head, To);
  decideNothing(First);
}

/// The iteration comes, whatever decides if there is one more.
void PeeledIteration::enter() {
  if (Body.empty())
    return;
  if (comesToExit() || What == Then::NothingAfterOnlyFirst)
    F.Blocks[Start].Successors.clear();
  F.Blocks[Start].Successors.push_back(BlockId(Copy[Loop]));
  Block &First = F.Blocks[Copy[Loop]];
  llvm::erase_if(First.Successors,
                 [this](BlockId To) { return !contains(index(To)); });
  decideNothing(First);
}

/// The loop is left where it is left in \p F, behind the iteration alone.
void PeeledIteration::leave() {
  if (Body.empty())
    return;
  const auto Leaves = [this](BlockId To) {
    return Cycles.leaves(Loop, index(To));
  };
  for (const std::uint32_t Condition : Cycles.conditionOf(Loop)) {
    Block &Here = F.Blocks[Now[Condition]];
    const auto Left = llvm::find_if(Before[Condition].Successors, Leaves);
    if (Left == Before[Condition].Successors.end() ||
        Here.Successors.size() != 2)
      continue;
    const auto To = BlockId(Now[index(*Left)]);
    F.Blocks[End].Successors = {To};
    llvm::erase(Here.Successors, To);
    decideNothing(Here);
  }
}

std::vector<std::uint32_t>
PeeledIteration::inIteration(llvm::ArrayRef<std::uint32_t> Blocks) const {
  std::vector<std::uint32_t> Out;
  for (const std::uint32_t B : Blocks)
    if (Copy[B] != None)
      Out.push_back(Copy[B]);
  return Out;
}

const Fact *PeeledIteration::original(const Fact *Of) const {
  for (std::uint32_t B = 0; B != Was.size(); ++B) {
    const std::vector<Fact> &Facts = F.Blocks[B].Facts;
    if (Was[B] != None && Of >= Facts.data() &&
        Of < Facts.data() + Facts.size())
      return &Before[Was[B]].Facts[static_cast<std::size_t>(Of - Facts.data())];
  }
  return nullptr;
}

} // namespace spmd::rules::inference
