//===- ControlFlow.cpp - Where ways part and meet again -------------------===//

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

namespace {
constexpr std::uint32_t Nowhere = ~0u;
} // namespace

ControlFlow::ControlFlow(const Function &F)
    : Exit(static_cast<std::uint32_t>(F.Blocks.size())), Next(Exit + 1),
      Previous(Exit + 1), Position(Exit + 1, Nowhere),
      Meets(Exit + 1, Nowhere) {
  findReturning(F);
  findReconvergences();
}

llvm::BitVector reachedFrom(const Function &F, std::uint32_t From,
                            std::uint32_t Avoided) {
  llvm::BitVector Seen(static_cast<unsigned>(F.Blocks.size()));
  llvm::SmallVector<std::uint32_t, 16> Work{From};
  while (!Work.empty()) {
    const std::uint32_t B = Work.pop_back_val();
    if (B == Avoided || B >= F.Blocks.size() || Seen.test(B))
      continue;
    Seen.set(B);
    for (const BlockId Next : F.Blocks[B].Successors)
      Work.push_back(index(Next));
  }
  return Seen;
}

bool comesTo(const Function &F, std::uint32_t From, std::uint32_t Block) {
  return llvm::any_of(F.Blocks[From].Successors, [&](BlockId Next) {
    return reachedFrom(F, index(Next)).test(Block);
  });
}

/// Keeps the edges on ways from the entry to the exit.
void ControlFlow::findReturning(const Function &F) {
  for (std::uint32_t B = 0; B != Exit; ++B) {
    for (BlockId S : F.Blocks[B].Successors)
      if (!llvm::is_contained(Next[B], index(S)))
        Next[B].push_back(index(S));
    if (F.Blocks[B].Successors.empty())
      Next[B].push_back(Exit);
    for (std::uint32_t S : Next[B])
      Previous[S].push_back(B);
  }
  const auto Anywhere = [](std::uint32_t) { return true; };
  const BlockSet Reached = reach({0}, /*Backwards=*/false, Anywhere);
  const BlockSet Returning = reach({Exit}, /*Backwards=*/true, Anywhere);
  const auto IsKept = [&](std::uint32_t B) {
    return Reached.test(B) && Returning.test(B);
  };
  for (std::uint32_t B = 0; B != Exit + 1; ++B) {
    const auto Lost = [&](std::uint32_t Other) {
      return !IsKept(B) || !IsKept(Other);
    };
    llvm::erase_if(Next[B], Lost);
    llvm::erase_if(Previous[B], Lost);
  }
}

BlockSet
ControlFlow::reach(llvm::ArrayRef<std::uint32_t> From, bool Backwards,
                   llvm::function_ref<bool(std::uint32_t)> Within) const {
  llvm::DenseSet<std::uint32_t> Seen;
  llvm::SmallVector<std::uint32_t, 16> Work(From);
  while (!Work.empty()) {
    const std::uint32_t B = Work.pop_back_val();
    if (Within(B) && Seen.insert(B).second)
      llvm::append_range(Work, Backwards ? Previous[B] : Next[B]);
  }
  return BlockSet({Seen.begin(), Seen.end()});
}

/// Immediate post-dominators, as Cooper, Harvey and Kennedy find dominators.
void ControlFlow::findReconvergences() {
  std::vector<std::uint32_t> Finished; // backwards from the exit
  llvm::BitVector Seen(Exit + 1);
  llvm::SmallVector<std::pair<std::uint32_t, unsigned>, 16> Stack{{Exit, 0}};
  Seen.set(Exit);
  while (!Stack.empty()) {
    auto &[B, Done] = Stack.back();
    if (Done == Previous[B].size()) {
      Position[B] = static_cast<std::uint32_t>(Finished.size());
      Finished.push_back(B);
      Stack.pop_back();
      continue;
    }
    const std::uint32_t P = Previous[B][Done++];
    if (!Seen.test(P)) {
      Seen.set(P);
      Stack.emplace_back(P, 0);
    }
  }
  Order.assign(Finished.begin(), Finished.end());
  Meets[Exit] = Exit;
  const auto Common = [&](std::uint32_t A, std::uint32_t B) {
    while (A != B)
      Position[A] < Position[B] ? A = Meets[A] : B = Meets[B];
    return A;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (std::uint32_t B : llvm::drop_begin(llvm::reverse(Finished))) {
      std::uint32_t Now = Nowhere;
      for (std::uint32_t S : Next[B])
        if (Meets[S] != Nowhere)
          Now = Now == Nowhere ? S : Common(Now, S);
      Changed |= Now != Meets[B];
      Meets[B] = Now;
    }
  }
}

/// Backwards from the exit, so that all rounds of a loop come before what
/// follows it; ways that never return come last.
std::vector<std::uint32_t> ControlFlow::numberInOrder(const Function &F) {
  const ControlFlow Flow(F);
  std::vector<std::uint32_t> Out(F.Blocks.size(), Flow.Exit + 1);
  for (std::uint32_t I = 0; I != Flow.Order.size(); ++I)
    if (Flow.Order[I] != Flow.Exit)
      Out[Flow.Order[I]] = I;
  return Out;
}

llvm::BitVector ControlFlow::onlyThrough(std::uint32_t Block,
                                         unsigned Way) const {
  if (Next[Block].size() != 2)
    return llvm::BitVector(Exit + 1);
  llvm::BitVector Others(Exit + 1);
  llvm::SmallVector<std::uint32_t, 16> Work{0};
  while (!Work.empty()) {
    const std::uint32_t B = Work.pop_back_val();
    if (Others.test(B))
      continue;
    Others.set(B);
    for (unsigned I = 0; I != Next[B].size(); ++I)
      if (B != Block || I != Way)
        Work.push_back(Next[B][I]);
  }
  return Others.flip();
}

/// Two ways meet in a block that is reached with two different last meetings
/// behind it; where they start counts as one.
DivergentRegion ControlFlow::divergenceAt(std::uint32_t Block) const {
  DivergentRegion Out;
  const std::uint32_t Meet = Meets[Block];
  if (Meet == Nowhere || Next[Block].size() < 2)
    return Out;
  Out.Between = reach(Next[Block], /*Backwards=*/false,
                      [&](std::uint32_t B) { return B != Meet; });
  std::vector<std::uint32_t> Blocks(Out.Between.begin(), Out.Between.end());
  Blocks.push_back(Meet);
  llvm::sort(Blocks, [&](std::uint32_t A, std::uint32_t B) {
    return Position[A] < Position[B];
  });

  llvm::DenseMap<std::uint32_t, std::uint32_t> Last;
  const auto WaysInto = [&](std::uint32_t B) {
    llvm::SmallVector<std::uint32_t, 4> Ways;
    for (std::uint32_t P : Previous[B]) {
      const auto Before = Last.find(P);
      const std::uint32_t Way = P == Block             ? B
                                : Before == Last.end() ? Nowhere
                                                       : Before->second;
      if (Way != Nowhere && !llvm::is_contained(Ways, Way))
        Ways.push_back(Way);
    }
    return Ways;
  };
  // Each pass settles one more meeting, or nothing changes.
  bool Changed = true;
  for (std::size_t Pass = 0; Changed && Pass <= Blocks.size(); ++Pass) {
    Changed = false;
    for (std::uint32_t B : Blocks) {
      const auto Ways = WaysInto(B);
      const std::uint32_t Now = Ways.empty()       ? Nowhere
                                : Ways.size() == 1 ? Ways.front()
                                                   : B;
      std::uint32_t &Was = Last.try_emplace(B, Nowhere).first->second;
      Changed |= Now != Was;
      Was = Now;
    }
  }
  for (std::uint32_t B : Blocks)
    if (WaysInto(B).size() >= 2)
      Out.Reconvergences.push_back(
          {B, reach(Previous[B], /*Backwards=*/true, [&](std::uint32_t X) {
             return X != B && Out.Between.test(X);
           })});
  if (Out.Between.test(Block))
    Out.Iterations = reach({Block}, /*Backwards=*/true, [&](std::uint32_t X) {
      return Out.Between.test(X);
    });
  return Out;
}

} // namespace spmd::rules
