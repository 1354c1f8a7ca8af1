//===- Unroll.cpp - Loops over a few things that are named ----------------===//

#include "spmd/ir/Unroll.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace spmd::rules {

/// All iterations together.
static constexpr std::size_t MaxFacts = 4096;

/// The blocks of an iteration that begins at \p First: those that come back to
/// \p Head.
static llvm::SmallVector<std::uint32_t, 16>
bodyOf(const Function &F, std::uint32_t Head, std::uint32_t First) {
  const llvm::BitVector Reached = reachedFrom(F, First, Head);
  llvm::SmallVector<std::uint32_t, 16> Out;
  for (const unsigned B : Reached.set_bits())
    if (B < F.Blocks.size() && comesTo(F, B, Head))
      Out.push_back(B);
  return Out;
}

/// The fact of \p B that binds \p Variable; null if it has none.
static BindFact *bindingOf(Block &B, SlotId Variable) {
  for (Fact &X : B.Facts)
    if (auto *Bind = std::get_if<BindFact>(&X); Bind && Bind->Dst == Variable)
      return Bind;
  return nullptr;
}

static void bind(Function &F, llvm::ArrayRef<std::uint32_t> Body,
                 SlotId Variable, Operand Element) {
  for (const std::uint32_t B : Body)
    if (BindFact *Binding = bindingOf(F.Blocks[B], Variable)) {
      Binding->Src.Slot = Element.Slot;
      Binding->Refers = true;
    }
}

bool unroll(Function &F, BlockId Head, SlotId Variable,
            llvm::ArrayRef<Operand> Elements) {
  const std::uint32_t H = index(Head);
  if (Elements.empty() || F.Blocks[H].Successors.size() != 2)
    return false;
  const BlockId First = F.Blocks[H].Successors[0],
                Behind = F.Blocks[H].Successors[1];
  const auto Body = bodyOf(F, H, index(First));
  std::size_t Facts = 0;
  for (const std::uint32_t B : Body)
    Facts += F.Blocks[B].Facts.size();
  if (Body.empty() || Facts * Elements.size() > MaxFacts)
    return false;

  llvm::SmallVector<llvm::SmallVector<std::uint32_t, 16>, 4> Iterations{Body};
  for (std::size_t I = 1; I != Elements.size(); ++I) {
    llvm::DenseMap<std::uint32_t, std::uint32_t> Copy;
    for (const std::uint32_t B : Body) {
      Copy[B] = F.Blocks.size();
      F.Blocks.push_back(Block(F.Blocks[B]));
    }
    auto &Here = Iterations.emplace_back();
    for (const std::uint32_t B : Body) {
      Block &New = F.Blocks[Copy[B]];
      Here.push_back(Copy[B]);
      for (BlockId &To : New.Successors)
        if (const auto It = Copy.find(index(To)); It != Copy.end())
          To = BlockId(It->second);
      if (New.Test && New.Test->Loop != BlockId::None)
        if (const auto It = Copy.find(index(New.Test->Loop)); It != Copy.end())
          New.Test->Loop = BlockId(It->second);
    }
  }
  // One after the other.
  const auto Begin = llvm::find(Body, index(First)) - Body.begin();
  for (std::size_t I = 0; I != Iterations.size(); ++I) {
    const BlockId Next =
        I + 1 == Iterations.size() ? Behind : BlockId(Iterations[I + 1][Begin]);
    for (const std::uint32_t B : Iterations[I])
      llvm::replace(F.Blocks[B].Successors, Head, Next);
    bind(F, Iterations[I], Variable, Elements[I]);
  }
  F.Blocks[H].Successors = {First};
  F.Blocks[H].Condition = {};
  F.Blocks[H].Test.reset();
  return true;
}

} // namespace spmd::rules
