//===- TrainedModel.cpp - Whose optimizer is not seen to be made ----------===//

#include "TrainedModel.h"

#include "NamedModules.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether \p O changes the tensors of a list by their gradients.
static bool steps(const Function &F, const OpFact &O) {
  return O.WritesTo != SlotId::None &&
         F.slot(O.WritesTo).Member == ParametersMember &&
         O.Operands.size() > 1 && O.Operands[0].Slot == O.WritesTo &&
         llvm::any_of(factsOf<GradientFact>(F), [&](const GradientFact &G) {
           return G.Dst == O.Operands[1].Slot && G.Src.Slot == O.WritesTo;
         });
}

/// The only list of parameters that an optimizer steps; None if there are more.
static SlotId onlyStepped(const Function &F) {
  SlotId Out = SlotId::None;
  for (const OpFact &O : factsOf<OpFact>(F)) {
    if (!steps(F, O) || O.WritesTo == Out)
      continue;
    if (Out != SlotId::None)
      return SlotId::None;
    Out = O.WritesTo;
  }
  return Out;
}

/// Whether somebody asks for the gradients of what \p List names, here or in a
/// function that gets it.
static bool asksFor(const Engine &E, const Function &F, SlotId List) {
  llvm::BitVector Names(F.Slots.size());
  Names.set(index(List));
  Names.set(index(F.slot(List).Base));
  // Who reduces the gradients of one layer reduces them here.
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (isWithin(F, SlotId{I}, F.slot(List).Base))
      Names.set(I);
  const auto IsOne = [&](SlotId S) {
    return S != SlotId::None && Names.test(index(S));
  };
  const auto Add = [&](SlotId To, SlotId From) {
    const bool New = To != SlotId::None && IsOne(From) && !IsOne(To);
    if (New)
      Names.set(index(To));
    return New;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Fact &X : factsOf<Fact>(F)) {
      if (const auto *B = std::get_if<BindFact>(&X))
        Changed |= Add(B->Dst, B->Src.Slot);
      else if (const auto *V = std::get_if<ViewFact>(&X))
        Changed |= Add(V->Dst, V->Src.Slot);
      else if (const auto *O = std::get_if<OpFact>(&X);
               O && O->Rule->is(OpRole::Copies) && O->Operands.size() == 1)
        Changed |= Add(O->Dst, O->Operands[0].Slot);
    }
  }
  const auto Asks = [](const Function &Of) {
    const auto Facts = factsOf<GradientFact>(Of);
    return Facts.begin() != Facts.end();
  };
  return llvm::any_of(factsOf<GradientFact>(F),
                      [&](const GradientFact &G) {
                        return !G.Clears && IsOne(G.Src.Slot);
                      }) ||
         llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &Call) {
           const Function *Callee = E.find(Call.Callee);
           return Callee && Asks(*Callee) &&
                  llvm::any_of(Call.Arguments,
                               [&](const Operand &X) { return IsOne(X.Slot); });
         });
}

/// The list that \p Of calls what is \p List to \p F, both methods of one
/// object; None if it names none.
static SlotId sameIn(const Function &Of, const Function &F, SlotId List) {
  const Slot &Model = F.slot(F.slot(List).Base);
  if (Model.Kind != SlotKind::Field ||
      F.slot(Model.Base).Kind != SlotKind::This)
    return SlotId::None;
  for (std::uint32_t I = 0; I != Of.Slots.size(); ++I) {
    const Slot &S = Of.Slots[I];
    if (S.Member != ParametersMember || S.Base == SlotId::None)
      continue;
    const Slot &There = Of.slot(S.Base);
    if (There.Kind == SlotKind::Field && There.Member == Model.Member &&
        Of.slot(There.Base).Kind == SlotKind::This)
      return SlotId{I};
  }
  return SlotId::None;
}

/// Whether a method that \p F calls on its own object asks for the gradients.
static bool asksInMethod(const Engine &E, const Function &F, SlotId List) {
  return llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &Call) {
    const Function *Callee = E.find(Call.Callee);
    if (!Callee || Call.Receiver.Slot == SlotId::None ||
        F.slot(Call.Receiver.Slot).Kind != SlotKind::This)
      return false;
    const SlotId There = sameIn(*Callee, F, List);
    return There != SlotId::None && asksFor(E, *Callee, There);
  });
}

TrainedModel::TrainedModel(const Engine &E, const Function &F) {
  const SlotId Stepped = onlyStepped(F);
  if (Stepped == SlotId::None || F.slot(Stepped).Declared ||
      !isGiven(F, Stepped))
    return;
  SlotId Found = SlotId::None;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const SlotId List{I};
    if (F.Slots[I].Member != ParametersMember || List == Stepped ||
        !declaredOf(F, List))
      continue;
    if (Found != SlotId::None && isWithin(F, List, F.slot(Found).Base))
      continue;
    if (Found != SlotId::None && !isWithin(F, Found, F.Slots[I].Base))
      return; // of which of them is not known
    Found = List;
  }
  if (Found == SlotId::None ||
      !(asksFor(E, F, Found) || asksInMethod(E, F, Found)))
    return;
  Steps = Stepped;
  Model = Found;
}

} // namespace spmd::rules::inference
