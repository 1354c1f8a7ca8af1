//===- EachIteration.cpp - What each iteration of a loop does -------------===//

#include "EachIteration.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool isInEach(const Function &F, const Loops &Cycles, std::uint32_t Head,
              std::uint32_t Block) {
  if (!Cycles.beginsAt(Head) || Cycles.leaves(Head, Block))
    return false;
  const llvm::BitVector Around = reachedFrom(F, Head, Block);
  return llvm::none_of(Cycles.predecessors(Head), [&](std::uint32_t From) {
    return isBackEdge(From, Head) && From != Block && Around.test(From);
  });
}

bool comesToEach(const Function &F, const Loops &Cycles, std::uint32_t Head,
                 std::uint32_t Block) {
  if (isInEach(F, Cycles, Head, Block))
    return true;
  for (std::uint32_t In = Head + 1; In < Block; ++In)
    if (Cycles.beginsAt(In) && !Cycles.leaves(Head, In) &&
        !Cycles.leaves(In, Block) && isInEach(F, Cycles, Head, In) &&
        comesToEach(F, Cycles, In, Block))
      return true;
  return false;
}

} // namespace spmd::rules::inference
