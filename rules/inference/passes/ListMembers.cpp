//===- ListMembers.cpp - What all elements of a list have -----------------===//

#include "ListMembers.h"

#include "spmd/ir/Walk.h"
#include "spmd/ops/OpRole.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

ListMembers::ListMembers(const Function &F) : F(F) {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Kind == SlotKind::Field)
      Members[F.Slots[I].Base].push_back(SlotId(I));
  findElements();
  for (const BindFact &B : factsOf<BindFact>(F))
    if (const auto Both = pairedBy(B))
      pair(Both->first, Both->second);
    else if (const SlotId All = of(B.Dst).Slot; All != SlotId::None)
      Mixed.insert(All);
}

void ListMembers::findElements() {
  llvm::DenseMap<SlotId, unsigned> Definitions;
  for (const Fact &X : factsOf(F))
    forEachSlot(X,
                [&](SlotId S, SlotAccess A) { Definitions[S] += A.Defines; });
  llvm::DenseMap<SlotId, SlotId> CopyOf;
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst != SlotId::None && O.WritesTo == SlotId::None &&
        O.Operands.size() == 1 && O.Operands[0].Scalar &&
        O.Rule->is(OpRole::Copies))
      CopyOf[O.Dst] = O.Operands[0].Slot;
  for (const ViewFact &V : factsOf<ViewFact>(F)) {
    if (V.K == ViewFact::Kind::Offset || Definitions.lookup(V.Dst) != 1)
      continue;
    OfAll &Of = Elements[V.Dst];
    Of.Slot = V.Src.Slot;
    if (V.K == ViewFact::Kind::Element && V.Offset.Slot != SlotId::None)
      Of.Counter = CopyOf.lookup_or(V.Offset.Slot, SlotId::None);
  }
  // `Tensor *t = tensors[i];`
  for (const BindFact &B : factsOf<BindFact>(F))
    if (!B.Joins && B.Src.Slot != SlotId::None && B.Dst != SlotId::None &&
        Definitions.lookup(B.Dst) == 1 && F.slot(B.Dst).Kind == SlotKind::Local)
      if (const auto It = Elements.find(B.Src.Slot); It != Elements.end())
        Elements.try_emplace(B.Dst, OfAll(It->second));
}

/// \p Member of all elements of a list names those of \p List.
void ListMembers::pair(SlotId Member, SlotId List) {
  auto &Of = Lists[Member];
  if (!llvm::is_contained(Of, List))
    Of.push_back(List);
  llvm::SmallVector<SlotId, 8> Names = {Member};
  while (!Names.empty()) {
    const SlotId S = Names.pop_back_val();
    if (Paired.try_emplace(S, Member).second)
      llvm::append_range(Names, Members.lookup(S));
  }
}

SlotId ListMembers::memberOf(SlotId Base, llvm::StringRef Member) const {
  const auto It = Members.find(Base);
  if (It == Members.end())
    return SlotId::None;
  const auto *Of = llvm::find_if(
      It->second, [&](SlotId S) { return F.slot(S).Member == Member; });
  return Of == It->second.end() ? SlotId::None : *Of;
}

ListMembers::OfAll ListMembers::of(SlotId S) const {
  if (S == SlotId::None)
    return {};
  if (const auto It = Elements.find(S); It != Elements.end())
    return It->second;
  if (F.slot(S).Kind != SlotKind::Field)
    return {};
  OfAll Out = of(F.slot(S).Base);
  if (Out.Slot != SlotId::None)
    Out.Slot = memberOf(Out.Slot, F.slot(S).Member);
  return Out;
}

std::optional<std::pair<SlotId, SlotId>>
ListMembers::pairedBy(const BindFact &B) const {
  if (B.Joins || B.Dst == SlotId::None || F.slot(B.Dst).Kind != SlotKind::Field)
    return std::nullopt;
  const OfAll To = of(B.Dst), From = of(B.Src.Slot);
  if (To.Slot == SlotId::None || From.Slot == SlotId::None ||
      To.Slot == From.Slot || To.Counter == SlotId::None ||
      To.Counter != From.Counter)
    return std::nullopt;
  return std::pair(To.Slot, From.Slot);
}

} // namespace spmd::rules::inference
