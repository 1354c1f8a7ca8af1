//===- IdleWays.cpp - Ways on which there is nothing to do ----------------===//

#include "spmd/inference/Ways.h"

#include "Choices.h"
#include "CollectiveCallers.h"
#include "RanksAsked.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

using namespace inference;

namespace {

/// Whether only names and results are handed on there.
bool isIdle(const Block &B) {
  return llvm::all_of(B.Facts, [](const Fact &X) {
    const auto *O = std::get_if<OpFact>(&X);
    return O ? O->WritesTo == SlotId::None
             : std::holds_alternative<DefineFact>(X) ||
                   std::holds_alternative<ReturnFact>(X) ||
                   std::holds_alternative<AssertFact>(X);
  });
}

/// Whether one buffer is copied into another in \p B.
bool copies(const Block &B) {
  return llvm::any_of(B.Facts, [](const Fact &X) {
    const auto *O = std::get_if<OpFact>(&X);
    return O && O->WritesTo != SlotId::None && O->Rule->is(OpRole::Copies) &&
           O->Operands.size() == 1 && !O->Operands[0].Scalar;
  });
}

/// Whether what there is none of is copied in \p Blocks: nothing is copied
/// then, whether that is asked or not.
bool isOfCopies(const Function &F, const BranchTest &T,
                const llvm::BitVector &Blocks) {
  return T.K == BranchTest::Kind::Defined &&
         llvm::any_of(Blocks.set_bits(), [&](unsigned B) {
           return B < F.Blocks.size() && copies(F.Blocks[B]);
         });
}

bool hasTests(const Function &F) {
  return llvm::any_of(F.Blocks, [](const Block &B) { return B.Test; });
}

} // namespace

void cutIdleWays(Module &M) {
  if (llvm::none_of(M.Functions, [](const auto &F) { return hasTests(*F); }))
    return;
  markGivenRanks(M);
  const CollectiveCallers Collected(M);
  for (const auto &F : M.Functions) {
    if (!hasTests(*F))
      continue;
    const ControlFlow Flow(*F);
    for (std::uint32_t I = 0; I != F->Blocks.size(); ++I) {
      Block &B = F->Blocks[I];
      if (!B.Test || B.Successors.size() != 2)
        continue;
      for (const unsigned Way : {0u, 1u}) {
        if (!B.Test || counts(*B.Test, Way == 0) ||
            !otherAxesLeftOut(*F, Flow, I, Way == 0).empty())
          continue;
        const llvm::BitVector Other = Flow.onlyThrough(I, 1 - Way);
        llvm::BitVector Idle = Flow.onlyThrough(I, Way);
        Idle.reset(Other); // what ends the program is in both
        if (llvm::all_of(Idle.set_bits(),
                         [&](unsigned X) {
                           return X >= F->Blocks.size() || isIdle(F->Blocks[X]);
                         }) &&
            (Collected.isDoneIn(*F, Flow.divergenceAt(I).Between) ||
             isOfCopies(*F, *B.Test, Other)))
          B.Successors = {B.Successors[1 - Way]}, B.Test.reset();
      }
    }
  }
}

} // namespace spmd::rules
