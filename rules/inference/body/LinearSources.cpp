//===- LinearSources.cpp - What a value is a linear part of ---------------===//

#include "LinearSources.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

static bool isLinear(const OpFact &O) {
  if (O.Rule->is(OpRole::Copies) || O.Rule->is(OpRole::Adds) ||
      O.Rule->is(OpRole::Subtracts) || !O.Rule->Views.empty())
    return true;
  const bool Scales =
      O.Rule->is(OpRole::Multiplies) || O.Rule->is(OpRole::Divides);
  return Scales && O.Operands.size() == 2 && O.Operands[1].Scalar;
}

bool isLinearIn(const Function &F, SlotId Value,
                llvm::function_ref<bool(SlotId)> IsSource) {
  constexpr std::size_t MostSlots = 64;
  llvm::SmallSetVector<SlotId, 8> Met;
  Met.insert(Value);
  const auto Meet = [&](SlotId S) {
    if (S != SlotId::None)
      Met.insert(S);
  };
  for (std::size_t I = 0; I != Met.size() && I != MostSlots; ++I) {
    const SlotId S = Met[I];
    if (IsSource(S))
      return true;
    for (const Fact &X : factsOf<Fact>(F)) {
      if (const auto *B = std::get_if<BindFact>(&X); B && B->Dst == S)
        Meet(B->Src.Slot);
      else if (const auto *V = std::get_if<ViewFact>(&X); V && V->Dst == S)
        Meet(V->Src.Slot);
      else if (const auto *O = std::get_if<OpFact>(&X);
               O && (O->Dst == S || O->WritesTo == S) && isLinear(*O))
        for (const Operand &Of : O->Operands)
          if (!Of.Scalar)
            Meet(Of.Slot);
    }
  }
  return false;
}

} // namespace spmd::rules::inference
