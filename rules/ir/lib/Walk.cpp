//===- Walk.cpp - The slots that a fact defines, writes and reads ---------===//

#include "spmd/ir/Walk.h"

#include <tuple>

namespace spmd::rules {

std::vector<Function *> functionsInOrder(const Module &M) {
  std::vector<Function *> Out;
  for (const auto &F : M.Functions)
    Out.push_back(F.get());
  const auto Key = [](const Function *F) {
    const Place First = F->Places.size() > 1 ? F->Places[1] : Place();
    return std::tuple(First.Line, First.Column, llvm::StringRef(F->Symbol));
  };
  llvm::sort(Out, [&](const Function *A, const Function *B) {
    return Key(A) < Key(B);
  });
  return Out;
}

static SlotList slotsWith(const Fact &X, bool SlotAccess::*Is) {
  SlotList Out;
  forEachSlot(X, [&](SlotId S, SlotAccess Access) {
    if (Access.*Is && !llvm::is_contained(Out, S))
      Out.push_back(S);
  });
  return Out;
}

SlotId resultOf(const Fact &X) {
  return std::visit(
      [](const auto &Y) {
        if constexpr (requires { Y.Dst; })
          return Y.Dst;
        else
          return SlotId::None;
      },
      X);
}

SlotList defs(const Fact &X) { return slotsWith(X, &SlotAccess::Defines); }
SlotList writes(const Fact &X) { return slotsWith(X, &SlotAccess::Writes); }
SlotList uses(const Fact &X) { return slotsWith(X, &SlotAccess::Reads); }

} // namespace spmd::rules
