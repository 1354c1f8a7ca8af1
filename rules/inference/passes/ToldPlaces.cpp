//===- ToldPlaces.cpp - Numbers that say where a part lies ----------------===//

#include "ToldPlaces.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

using SlotSet = llvm::DenseSet<std::uint32_t>;

/// Adds the numbers that \p F computes of those in \p Of, in the order of its
/// blocks.
void addComputed(const Function &F, SlotSet &Of) {
  for (const Fact &X : factsOf<Fact>(F))
    if (const auto *O = std::get_if<OpFact>(&X)) {
      if (O->WritesTo == SlotId::None &&
          llvm::any_of(O->Operands, [&](const Operand &From) {
            return From.Scalar && Of.contains(index(From.Slot));
          }))
        Of.insert(index(O->Dst));
    } else if (const auto *B = std::get_if<BindFact>(&X)) {
      if (B->Src.Slot != SlotId::None && Of.contains(index(B->Src.Slot)))
        Of.insert(index(B->Dst));
    }
}

bool isPlace(const Function &F, const SlotSet &Of) {
  return llvm::any_of(factsOf<ViewFact>(F), [&](const ViewFact &V) {
    return V.Offset.Slot != SlotId::None && Of.contains(index(V.Offset.Slot));
  });
}

/// What \p Caller has of the numbers \p Of in what \p Target returns: the
/// result of \p Call, or members of it.
SlotSet returned(const Function &Caller, const CallFact &Call,
                 const Function &Target, const SlotSet &Of) {
  SlotSet Out;
  for (const ReturnFact &R : factsOf<ReturnFact>(Target)) {
    if (R.Value.Slot == SlotId::None || Call.Dst == SlotId::None)
      continue;
    if (Of.contains(index(R.Value.Slot)))
      Out.insert(index(Call.Dst));
    for (const std::uint32_t I : Of)
      if (const Slot &Made = Target.Slots[I];
          Made.Kind == SlotKind::Field && Made.Base == R.Value.Slot)
        for (std::uint32_t J = 0; J != Caller.Slots.size(); ++J)
          if (const Slot &Given = Caller.Slots[J];
              Given.Kind == SlotKind::Field && Given.Base == Call.Dst &&
              Given.Member == Made.Member)
            Out.insert(J);
  }
  return Out;
}

} // namespace

bool tellsPlace(const Function &Caller, const CallFact &Call,
                const Function &Target, SlotId Number) {
  SlotSet Inside = {index(Number)};
  addComputed(Target, Inside);
  if (isPlace(Target, Inside))
    return true;
  SlotSet Outside = returned(Caller, Call, Target, Inside);
  if (Outside.empty())
    return false;
  addComputed(Caller, Outside);
  return isPlace(Caller, Outside);
}

} // namespace spmd::rules::inference
