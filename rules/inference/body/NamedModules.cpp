//===- NamedModules.cpp - Other names of modules --------------------------===//

#include "NamedModules.h"

#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

/// What \p S is made another name, or a part, of; none where it never is. None
/// in it: of several.
static std::optional<SlotId> namedAfter(const Function &F, SlotId S) {
  std::optional<SlotId> Out;
  const auto Add = [&](SlotId Dst, SlotId Src) {
    if (Dst == S)
      Out = Out && *Out != Src ? SlotId::None : Src;
  };
  for (const Fact &X : factsOf<Fact>(F))
    if (const auto *B = std::get_if<BindFact>(&X); B && !B->Joins)
      Add(B->Dst, B->Src.Slot);
    else if (const auto *V = std::get_if<ViewFact>(&X))
      Add(V->Dst, V->Src.Slot);
  return Out;
}

bool isGiven(const Function &F, SlotId List) {
  if (namedAfter(F, List))
    return false;
  constexpr unsigned MaxNames = 8;
  SlotId S = F.slot(List).Base;
  for (unsigned I = 0; I != MaxNames && S != SlotId::None; ++I) {
    const std::optional<SlotId> Of = namedAfter(F, S);
    switch (F.slot(S).Kind) {
    case SlotKind::Parameter:
    case SlotKind::This:
    case SlotKind::Global:
      return !Of;
    case SlotKind::Field:
      S = Of.value_or(F.slot(S).Base);
      break;
    default:
      S = Of.value_or(SlotId::None);
    }
  }
  return false;
}

const Slot *declaredOf(const Function &F, SlotId List) {
  if (F.slot(List).Declared)
    return &F.slot(List);
  const std::optional<SlotId> Of = namedAfter(F, F.slot(List).Base);
  return Of && *Of != SlotId::None && F.slot(*Of).Declared ? &F.slot(*Of)
                                                           : nullptr;
}

} // namespace spmd::rules::inference
