//===- OwnersChoices.cpp - Numbers that an object's owner gives it --------===//

#include "OwnersChoices.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::rules::inference {

/// What stands before the name of a method in its symbol.
static llvm::StringRef classOf(const Function &F) {
  return llvm::StringRef(F.Symbol).rsplit("@F@").first;
}

static std::string key(const Function &F, llvm::StringRef Member) {
  return (classOf(F) + "\n" + Member).str();
}

static bool isOwnMember(const Function &F, SlotId S) {
  return S != SlotId::None && F.slot(S).Kind == SlotKind::Field &&
         F.slot(S).Base != SlotId::None &&
         F.slot(F.slot(S).Base).Kind == SlotKind::This;
}

OwnersChoices::OwnersChoices(const Module &M) {
  for (const auto &F : M.Functions) {
    llvm::DenseSet<SlotId> Given; ///< parameters, and copies of them
    for (unsigned I = 0; I != F->NumParameters; ++I)
      Given.insert(SlotId(I));
    for (const Fact &X : factsOf(*F)) {
      SlotId To = SlotId::None, Of = SlotId::None;
      if (const auto *B = std::get_if<BindFact>(&X)) {
        To = B->Dst;
        Of = B->Src.Slot;
      } else if (const auto *O = std::get_if<OpFact>(&X);
                 O && O->Operands.size() == 1) {
        To = O->WritesTo != SlotId::None ? O->WritesTo : O->Dst;
        Of = O->Operands[0].Slot;
      }
      if (!Given.contains(Of))
        continue;
      if (isOwnMember(*F, To))
        Members.insert(key(*F, F->slot(To).Member));
      else if (To != SlotId::None && F->slot(To).Kind == SlotKind::Temporary)
        Given.insert(To);
    }
  }
}

bool OwnersChoices::contains(const Function &F, llvm::StringRef Name) const {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Name == Name && isOwnMember(F, SlotId(I)))
      return Members.contains(key(F, F.Slots[I].Member));
  return false;
}

} // namespace spmd::rules::inference
