//===- Walk.cpp - The slots that a fact defines, writes and reads ---------===//

#include "spmd/ir/Walk.h"

namespace spmd::rules {

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
