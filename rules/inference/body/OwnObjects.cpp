//===- OwnObjects.cpp - Objects that have nothing in common ---------------===//

#include "OwnObjects.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

OwnObjects::OwnObjects(const Function &F, const ObjectNames &Objects)
    : F(F), Objects(Objects) {
  for (const DefineFact &D : factsOf<DefineFact>(F))
    if (D.K == DefineFact::Kind::Unknown || D.K == DefineFact::Kind::Undefined)
      Own.insert(objectOf(D.Dst));
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Apart)
      Own.insert(SlotId(I));
  for (const Fact &X : factsOf<Fact>(F))
    see(X);
}

/// The first name of the object that \p Slot is, or is in; one that is apart by
/// its class may be a member.
SlotId OwnObjects::objectOf(SlotId Slot) const {
  for (SlotId S = Slot; S != SlotId::None; S = F.slot(S).Base) {
    if (F.slot(S).Apart)
      return S;
    const auto IsApart = [this](SlotId Name) { return F.slot(Name).Apart; };
    const llvm::ArrayRef<SlotId> Names = Objects.namesOf(S);
    if (llvm::count_if(Names, IsApart) == 1)
      return *llvm::find_if(Names, IsApart);
  }
  const SlotId Root = rootOf(F, Slot);
  const llvm::ArrayRef<SlotId> Names = Objects.namesOf(Root);
  return Names.empty() ? Root : Names.front();
}

/// Whether \p S has what is copied elsewhere: a clone's tensors are its own.
static bool isCopy(const Function &F, SlotId S) {
  return llvm::any_of(factsOf<OpFact>(F), [S](const OpFact &O) {
    return O.Dst == S && O.WritesTo == SlotId::None && O.Rule->Views.empty() &&
           O.Rule->is(OpRole::Copies);
  });
}

/// What \p X gives to somebody may become a part of what else that has.
void OwnObjects::see(const Fact &X) {
  if (const auto *B = std::get_if<BindFact>(&X)) {
    const SlotId To = objectOf(B->Dst), From = objectOf(B->Src.Slot);
    const Slot &Into = F.slot(B->Dst);
    const bool IsList = Into.Member == ParametersMember;
    if (IsList && !B->Joins && isCopy(F, B->Src.Slot))
      return;
    if (IsList && !B->Joins) // an optimizer's are a model's
      Own.erase(To);
    else if (IsList ? Own.contains(From) && To != From
                    : To != From && (Into.Kind == SlotKind::Field ||
                                     !Objects.fieldsOf(B->Dst).empty()))
      Own.erase(To), Own.erase(From);
    return;
  }
  const bool IsCall = std::holds_alternative<CallFact>(X);
  if (!IsCall && !std::holds_alternative<HavocFact>(X))
    return;
  llvm::SmallDenseSet<SlotId, 4> Given;
  forEachSlot(X, [&](SlotId S, SlotAccess A) {
    const SlotId Object = objectOf(S);
    if (!A.Defines && Own.contains(Object) && !F.slot(Object).Apart)
      Given.insert(Object);
  });
  if (IsCall && Given.size() == 1)
    return;
  for (const SlotId Object : Given)
    Own.erase(Object);
}

bool OwnObjects::areApart(SlotId A, SlotId B) const {
  const SlotId OfA = objectOf(A), OfB = objectOf(B);
  return OfA != OfB && Own.contains(OfA) && Own.contains(OfB);
}

} // namespace spmd::rules::inference
