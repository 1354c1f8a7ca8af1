//===- MovedPointers.cpp - Names of places behind others ------------------===//

#include "BodyFacts.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <utility>

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

/// What collectives and calls are given, and what that is made of.
static std::vector<bool> findGiven(const Function &F) {
  std::vector<bool> Out(F.Slots.size(), false);
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts)
      if (std::holds_alternative<TransferFact>(X) ||
          std::holds_alternative<CallFact>(X))
        forEachSlot(X, [&](SlotId S, SlotAccess) { Out[index(S)] = true; });
  bool Changed = true;
  const auto Give = [&](SlotId S) {
    Changed |= !Out[index(S)];
    Out[index(S)] = true;
  };
  // Backwards, as what is given is made before.
  while (std::exchange(Changed, false)) {
    for (const Block &B : llvm::reverse(F.Blocks))
      for (const Fact &X : llvm::reverse(B.Facts))
        if (const auto *V = std::get_if<ViewFact>(&X); V && Out[index(V->Dst)])
          Give(V->Src.Slot);
        else if (const auto *Bind = std::get_if<BindFact>(&X);
                 Bind && Out[index(Bind->Dst)])
          Give(Bind->Src.Slot);
        else if (const auto *G = std::get_if<GradientFact>(&X);
                 G && Out[index(G->Dst)])
          Give(G->Src.Slot);
    for (std::size_t I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Base != SlotId::None && Out[I])
        Give(F.Slots[I].Base);
  }
  return Out;
}

std::vector<bool> findMovedPointers(const Function &F) {
  std::vector<bool> Out(F.Slots.size(), false);
  std::optional<std::vector<bool>> Zero, Given;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts) {
      const auto *V = std::get_if<ViewFact>(&X);
      if (!V || V->Offset.Slot == SlotId::None ||
          (V->K != ViewFact::Kind::Offset && V->K != ViewFact::Kind::Element))
        continue;
      if (!Zero) {
        Zero = findZeros(F);
        Given = findGiven(F);
      }
      if (!(*Zero)[index(V->Offset.Slot)] && (*Given)[index(V->Dst)])
        Out[index(V->Dst)] = true;
    }
  return Out;
}

std::vector<bool> findKeptPlaces(const Function &F) {
  std::vector<bool> Out(F.Slots.size(), false);
  llvm::BitVector Kept(F.Slots.size());
  for (const BindFact &B : factsOf<BindFact>(F))
    if (B.Src.Slot != SlotId::None && F.slot(B.Dst).Kind != SlotKind::Temporary)
      Kept.set(index(B.Src.Slot));
  if (Kept.none())
    return Out;
  const std::vector<bool> Zero = findZeros(F);
  for (const ViewFact &V : factsOf<ViewFact>(F))
    if (V.K != ViewFact::Kind::Handle && V.Offset.Slot != SlotId::None &&
        Kept.test(index(V.Dst)) && !Zero[index(V.Offset.Slot)])
      Out[index(V.Dst)] = true;
  return Out;
}

} // namespace spmd::rules::inference
