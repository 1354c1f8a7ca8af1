//===- PointedInto.cpp - What a place lies in -----------------------------===//

#include "PointedInto.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace spmd::rules::inference {

SlotId pointedInto(const Function &F, SlotId S) {
  constexpr unsigned Deepest = 16;
  for (unsigned Depth = 0; Depth != Deepest; ++Depth) {
    if (F.slot(S).Kind == SlotKind::Parameter)
      return S;
    SlotId Of = SlotId::None;
    for (const BindFact &B : factsOf<BindFact>(F))
      if (B.Dst == S && Of == SlotId::None)
        Of = B.Src.Slot;
    for (const ViewFact &V : factsOf<ViewFact>(F))
      if (V.Dst == S && Of == SlotId::None)
        Of = V.Src.Slot;
    if (Of == SlotId::None)
      return S;
    S = Of;
  }
  return S;
}

/// Whether \p F, or what it hands that to, may write where \p Is holds.
static bool writesTo(const Function &F, llvm::function_ref<bool(SlotId)> Is) {
  return llvm::any_of(factsOf<Fact>(F), [&](const Fact &X) {
    if (const auto *T = std::get_if<TransferFact>(&X))
      return Is(T->Out.Slot);
    if (const auto *O = std::get_if<OpFact>(&X))
      return Is(O->WritesTo);
    if (const auto *Call = std::get_if<CallFact>(&X))
      return llvm::any_of(Call->Arguments,
                          [&](const Operand &A) { return Is(A.Slot); });
    return false;
  });
}

bool mayWrite(const Function &F, SlotId Parameter) {
  const auto Is = [&](SlotId S) {
    return S != SlotId::None && pointedInto(F, S) == Parameter;
  };
  return writesTo(F, Is) ||
         llvm::any_of(factsOf<HavocFact>(F),
                      [&](const HavocFact &H) { return Is(H.Slot); });
}

/// What the elements of lists of pointers are called in \p F.
static llvm::SmallDenseSet<SlotId, 8> elementsIn(const Function &F) {
  llvm::SmallDenseSet<SlotId, 8> Out;
  for (const ViewFact &V : factsOf<ViewFact>(F))
    if (V.K == ViewFact::Kind::Handle)
      Out.insert(V.Dst);
  return Out;
}

static bool liesIn(const Function &F, SlotId S,
                   const llvm::SmallDenseSet<SlotId, 8> &Elements) {
  while (S != SlotId::None && !Elements.contains(S))
    S = F.slot(S).Base;
  return S != SlotId::None;
}

bool isBehindElement(const Function &F, SlotId S) {
  return liesIn(F, S, elementsIn(F));
}

static bool writesByOwnElements(const Function &F) {
  const llvm::SmallDenseSet<SlotId, 8> Elements = elementsIn(F);
  return !Elements.empty() &&
         writesTo(F, [&](SlotId S) { return liesIn(F, S, Elements); });
}

bool writesByElements(
    const Function &F,
    llvm::function_ref<const Function *(llvm::StringRef)> Find) {
  llvm::SmallPtrSet<const Function *, 16> Seen = {&F};
  llvm::SmallVector<const Function *, 16> Work = {&F};
  while (!Work.empty()) {
    const Function &G = *Work.pop_back_val();
    if (writesByOwnElements(G))
      return true;
    for (const CallFact &Call : factsOf<CallFact>(G))
      if (const Function *Callee = Find(Call.Callee);
          Callee && Seen.insert(Callee).second)
        Work.push_back(Callee);
  }
  return false;
}

} // namespace spmd::rules::inference
