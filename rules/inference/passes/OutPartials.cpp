//===- OutPartials.cpp - Ops whose results are wrapped --------------------===//

#include "OutPartials.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules::inference {

/// Backwards, so that each fact of a block is looked at once.
OutPartials::ByOp OutPartials::find(llvm::ArrayRef<Fact> Facts) {
  struct Use {
    const Fact *At;
    llvm::SmallVector<SlotId, 2> Axes;
  };
  ByOp Out;
  std::map<SlotId, Use> Next; ///< the first transfer of what a slot has
  for (const Fact &X : llvm::reverse(Facts)) {
    if (const auto *O = std::get_if<OpFact>(&X)) {
      const auto At = Next.find(O->Dst);
      if (O->Dst != SlotId::None && At != Next.end()) {
        Out[&X] = std::move(At->second.Axes);
        Next.erase(At);
      }
    } else if (const auto *B = std::get_if<BindFact>(&X)) {
      const auto OfDst = Next.find(B->Dst), OfSrc = Next.find(B->Src.Slot);
      if (OfDst == Next.end())
        continue;
      if (OfSrc == Next.end() || OfDst->second.At < OfSrc->second.At)
        Next[B->Src.Slot] = OfDst->second;
      if (B->Dst != B->Src.Slot)
        Next.erase(B->Dst);
    } else if (const auto *T = std::get_if<TransferFact>(&X)) {
      Use Here{&X, {}};
      if (T->K == TransferKind::OutPartial && T->Axis.Slot != SlotId::None) {
        Here.Axes = {T->Axis.Slot};
        if (const auto At = Next.find(T->Dst); At != Next.end())
          Here.Axes.append(At->second.Axes);
      }
      Next.erase(T->Dst);
      Next[T->Src.Slot] = std::move(Here);
    }
  }
  return Out;
}

llvm::ArrayRef<SlotId> OutPartials::of(const std::vector<Fact> &Block,
                                       const Fact &Op) {
  const auto [At, New] = Blocks.try_emplace(&Block);
  if (New)
    At->second = find(Block);
  const auto Axes = At->second.find(&Op);
  return Axes == At->second.end() ? llvm::ArrayRef<SlotId>() : Axes->second;
}

} // namespace spmd::rules::inference
