//===- MadeWholeBehind.cpp - Members that later loops look at -------------===//

#include "MadeWholeBehind.h"

#include "Positions.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace spmd::rules::inference {

static bool isOfVariable(const Function &F, const Slot &S) {
  return S.Kind == SlotKind::Field && rootOf(F, S).Kind == SlotKind::Local;
}

/// The same member of what other variables name, and what is bound to it.
static llvm::SmallSet<SlotId, 4> otherNames(const Function &F,
                                            const Slot &Member) {
  llvm::SmallSet<SlotId, 4> Out;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const Slot &S = F.Slots[I];
        &S != &Member && isOfVariable(F, S) && S.Member == Member.Member &&
        positionOf(F, S.DeclaredAt) == positionOf(F, Member.DeclaredAt))
      Out.insert(SlotId(I));
  for (const BindFact &Bind : factsOf<BindFact>(F))
    if (Out.contains(Bind.Src.Slot))
      Out.insert(Bind.Dst);
  return Out;
}

bool mayBeMadeWholeBehind(const Function &F, const Slot &Member, PlaceId At) {
  if (!isOfVariable(F, Member))
    return false;
  const Position Here = positionOf(F, At);
  const llvm::SmallSet<SlotId, 4> Names = otherNames(F, Member);
  const auto IsBehind = [&](PlaceId X) { return Here < positionOf(F, X); };
  const auto IsName = [&](const Operand &O) { return Names.contains(O.Slot); };
  return !Names.empty() &&
         (llvm::any_of(factsOf<TransferFact>(F),
                       [&](const TransferFact &T) {
                         return communicates(T.K) && IsBehind(T.At) &&
                                IsName(T.Out);
                       }) ||
          llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &Call) {
            return IsBehind(Call.At) && llvm::any_of(Call.Arguments, IsName);
          }));
}

} // namespace spmd::rules::inference
