//===- Reached.cpp - What comes out of tensors and buffers ----------------===//

#include "Reached.h"

#include "spmd/ir/Walk.h"

namespace spmd::lint {

using namespace rules;

Reached::Reached(const Module &M, const ProgramText &Text) {
  for (const auto &F : M.Functions) {
    BySymbol.try_emplace(F->Symbol, F.get());
    Slots[F.get()].resize(static_cast<unsigned>(F->Slots.size()));
  }
  for (const auto &F : M.Functions)
    begin(*F, Text);
  do {
    More = false;
    for (const auto &F : M.Functions)
      spread(*F);
  } while (More);
}

static bool isShared(const Slot &S) {
  return S.Kind == SlotKind::Field || S.Kind == SlotKind::Global;
}

void Reached::add(const Function &F, SlotId S) {
  llvm::BitVector &Here = Slots[&F];
  if (S == SlotId::None || Here.test(index(S)))
    return;
  Here.set(index(S));
  More = true;
  if (const Slot &Named = F.slot(S); isShared(Named) && !Named.Member.empty())
    Members.insert(Named.Member);
}

/// The tensors and buffers themselves, and what is said to have a type.
void Reached::begin(const Function &F, const ProgramText &Text) {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Declared || F.Slots[I].IsTensor)
      add(F, SlotId(I));
  for (const Fact &X : factsOf(F)) {
    forEachOperand(X, [&](const Operand &O) {
      if (Text.dataAt(&F, O.At) == DataKind::Storage)
        add(F, O.Slot);
    });
    if (Text.dataAt(&F, placeOf(X)) == DataKind::Storage)
      forEachSlot(X, [&](SlotId S, SlotAccess How) {
        if (How.Defines)
          add(F, S);
      });
  }
}

void Reached::pass(const Function &F, const CallFact &Call) {
  const Function *Target = BySymbol.lookup(Call.Callee);
  if (!Target)
    return;
  for (std::uint32_t I = 0;
       I != Call.Arguments.size() && I < Target->NumParameters; ++I)
    if (const SlotId S = Call.Arguments[I].Slot;
        S != SlotId::None && contains(F, S))
      add(*Target, SlotId(I));
  if (Returning.contains(Target))
    add(F, Call.Dst);
}

void Reached::spread(const Function &F) {
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (isShared(F.Slots[I]) && Members.contains(F.Slots[I].Member))
      add(F, SlotId(I));
  for (const Fact &X : factsOf(F)) {
    if (const auto *Call = std::get_if<CallFact>(&X)) {
      pass(F, *Call);
      continue;
    }
    bool From = false;
    const auto *View = std::get_if<ViewFact>(&X);
    forEachSlot(X, [&](SlotId S, SlotAccess How) {
      const bool IsOffset = View && S == View->Offset.Slot;
      From |= (How.Reads || !How.Defines) && !IsOffset && contains(F, S);
    });
    if (!From)
      continue;
    if (std::holds_alternative<ReturnFact>(X))
      More |= Returning.insert(&F).second;
    forEachSlot(X, [&](SlotId S, SlotAccess How) {
      if (How.Defines || How.Writes)
        add(F, S);
    });
  }
}

} // namespace spmd::lint
