//===- MovedPointers.cpp - Names of places behind others ------------------===//

#include "BodyFacts.h"

#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

/// A literal zero moves nothing; any other offset may.
static std::vector<bool> findZeros(const Function &F) {
  std::vector<bool> Zero(F.Slots.size(), false), Other(F.Slots.size(), false);
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts) {
      const auto *D = std::get_if<DefineFact>(&X);
      const bool IsZero = D && D->K == DefineFact::Kind::Zero;
      forEachSlot(X, [&](SlotId S, SlotAccess A) {
        if (A.Defines || A.Writes)
          (IsZero ? Zero : Other)[index(S)] = true;
      });
    }
  for (std::size_t I = 0; I != Zero.size(); ++I)
    Zero[I] = Zero[I] && !Other[I];
  return Zero;
}

std::vector<bool> findMovedPointers(const Function &F) {
  const std::vector<bool> Zero = findZeros(F);
  std::vector<bool> Out(F.Slots.size(), false);
  const auto Move = [&](SlotId Dst, bool IsMoved) {
    const bool Changes = IsMoved && !Out[index(Dst)];
    Out[index(Dst)] = Out[index(Dst)] || IsMoved;
    return Changes;
  };
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *V = std::get_if<ViewFact>(&X))
          Changed |= Move(V->Dst, Out[index(V->Src.Slot)] ||
                                      (V->Offset.Slot != SlotId::None &&
                                       !Zero[index(V->Offset.Slot)]));
        else if (const auto *Bind = std::get_if<BindFact>(&X))
          Changed |= Move(Bind->Dst, Out[index(Bind->Src.Slot)]);
    for (std::size_t I = 0; I != F.Slots.size(); ++I)
      if (const SlotId Of = F.Slots[I].Base; Of != SlotId::None)
        Changed |= Move(SlotId(I), Out[index(Of)]);
  }
  return Out;
}

} // namespace spmd::rules::inference
