//===- Overwritten.cpp - Parameters that only take results ----------------===//

#include "Overwritten.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace spmd::rules::inference {

namespace {

/// By slot, what is done to what it points to.
struct Mentions {
  explicit Mentions(const Function &F)
      : Written(F.Slots.size()), Used(F.Slots.size()) {}

  /// What is done by the name \p To is done to \p From. Whether that is new.
  bool pass(SlotId To, SlotId From) {
    if (From == SlotId::None)
      return false;
    bool New = false;
    for (llvm::BitVector *Bits : {&Written, &Used})
      if (Bits->test(index(To)) && !Bits->test(index(From))) {
        Bits->set(index(From));
        New = true;
      }
    return New;
  }

  llvm::BitVector Written, Used;
};

} // namespace

/// Of another name for it, or a part of it: nothing is done yet.
static SlotId named(const Fact &X) {
  if (const auto *V = std::get_if<ViewFact>(&X))
    return V->Src.Slot;
  const auto *Bind = std::get_if<BindFact>(&X);
  return Bind ? Bind->Src.Slot : SlotId::None;
}

llvm::BitVector findOverwritten(
    const Function &F,
    llvm::function_ref<bool(const CallFact &, std::size_t)> Overwrites) {
  Mentions Of(F);
  for (const Fact &X : factsOf<Fact>(F)) {
    // What objects of one kind lack, those of another may well read.
    if (F.IsChoice && std::holds_alternative<OpFact>(X))
      continue;
    const bool IsUnseen = std::holds_alternative<HavocFact>(X);
    const auto *Call = std::get_if<CallFact>(&X);
    const SlotId Name = named(X);
    llvm::SmallVector<SlotId, 4> Outputs;
    for (std::size_t I = 0; Call && I != Call->Arguments.size(); ++I)
      if (Call->Arguments[I].Slot != SlotId::None && Overwrites(*Call, I))
        Outputs.push_back(Call->Arguments[I].Slot);
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      const bool IsOutput = llvm::is_contained(Outputs, S);
      if (A.Writes || IsOutput)
        Of.Written.set(index(S));
      // What a part of is written, or whose name is taken, is not used so far.
      if (IsUnseen || (A.Reads && !A.Writes && !IsOutput && S != Name))
        Of.Used.set(index(S));
    });
  }
  bool Changed = true;
  while (std::exchange(Changed, false)) {
    for (const Fact &X : factsOf<Fact>(F))
      if (const SlotId From = named(X); From != SlotId::None)
        Changed |= Of.pass(resultOf(X), From);
    for (std::size_t I = 0; I != F.Slots.size(); ++I)
      Changed |= Of.pass(SlotId(I), F.Slots[I].Base);
  }
  llvm::BitVector Out = Of.Written;
  Out.reset(Of.Used);
  return Out;
}

} // namespace spmd::rules::inference
