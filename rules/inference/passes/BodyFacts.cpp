//===- BodyFacts.cpp - What is known of a body in any context -------------===//

#include "BodyFacts.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

BodyFacts::BodyFacts(const Function &F)
    : Slots(F), Objects(F), InLists(F), OfBuffers(F),
      IsNumber(findHostNumbers(F)), HasGradient(findGradientLiveness(F)),
      IsMoved(findMovedPointers(F)), IsKeptPlace(findKeptPlaces(F)),
      OwnBuffers(findOwnBuffers(F)),
      Cycles(F, [](std::uint32_t) { return true; }),
      Visited(F, Cycles, Objects, InLists), Accumulated(F, Cycles), Adding(F),
      InPlace(F) {}

SlotLiveness::SlotLiveness(const Function &F) {
  constexpr std::uint32_t Unseen = ~0u;
  AcrossBlocks.assign(F.Slots.size() + 1, false);
  AcrossBlocks[F.Slots.size()] = true; // what is returned
  std::vector<std::uint32_t> SeenIn(F.Slots.size(), Unseen);
  std::vector<std::uint32_t> LastAt(F.Slots.size(), Unseen);
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    AcrossBlocks[I] = F.Slots[I].Kind != SlotKind::Temporary;
  std::uint32_t At = 0;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
    const auto See = [&](SlotId S, SlotAccess = walk::Read) {
      std::uint32_t &In = SeenIn[index(S)];
      if (In != Unseen && In != B)
        AcrossBlocks[index(S)] = true;
      In = B;
      LastAt[index(S)] = At;
    };
    for (const Fact &Fact : F.Blocks[B].Facts) {
      forEachSlot(Fact, See);
      ++At;
    }
    if (const SlotId Chosen = F.Blocks[B].Condition.Slot;
        Chosen != SlotId::None)
      See(Chosen);
  }
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (!AcrossBlocks[I] && LastAt[I] != Unseen)
      LastMentions.emplace_back(LastAt[I], SlotId(I));
  llvm::sort(LastMentions);
}

std::vector<bool> findHostNumbers(const Function &F) {
  std::vector<bool> Out(F.Slots.size(), false), Other(F.Slots.size(), false);
  for (const Block &B : F.Blocks)
    for (const Fact &Fact : B.Facts) {
      if (const auto *O = std::get_if<OpFact>(&Fact)) {
        for (const Operand &X : O->Operands)
          (X.Scalar ? Out : Other)[index(X.Slot)] = true;
        continue;
      }
      if (std::holds_alternative<PointFact>(Fact))
        continue;
      const auto *V = std::get_if<ViewFact>(&Fact);
      forEachSlot(Fact, [&](SlotId S, SlotAccess) {
        if (!V || S != V->Offset.Slot || S == V->Src.Slot)
          Other[index(S)] = true;
      });
    }
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const SlotKind K = F.Slots[I].Kind;
    if (Other[I] || (K != SlotKind::Parameter && K != SlotKind::Field &&
                     K != SlotKind::Global))
      Out[I] = false;
  }
  return Out;
}

ObjectNames::ObjectNames(const Function &F) : ClassOf(F.ObjectOf) {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Base != SlotId::None)
      Fields[index(F.Slots[I].Base)].push_back(SlotId(I));
  for (std::uint32_t I = 0; I != ClassOf.size(); ++I) {
    const SlotId First = ClassOf[I]; // the lowest of its class
    if (First == SlotId(I))
      continue;
    auto &Same = Names[index(First)];
    if (Same.empty())
      Same.push_back(First);
    Same.push_back(SlotId(I));
  }
}

} // namespace spmd::rules::inference
