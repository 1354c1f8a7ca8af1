//===- SummedParameters.cpp - Sums of parameters themselves ---------------===//

#include "SummedParameters.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::lint {

using namespace rules;

namespace {

/// What a value of a function is another name for, or an element of.
class Sources {
public:
  explicit Sources(const Function &F) : F(F) {}

  /// Whether \p Value is parameters of a module, and no gradient.
  bool areParameters(SlotId Value) {
    llvm::SmallVector<SlotId, 8> Work{Value};
    llvm::DenseSet<SlotId> Seen{Value};
    bool Found = false;
    while (!Work.empty()) {
      const SlotId S = Work.pop_back_val();
      Found |= F.slot(S).Member == ParametersMember;
      for (const Fact &X : factsOf<Fact>(F)) {
        if (const auto *G = std::get_if<GradientFact>(&X); G && G->Dst == S)
          return false;
        if (const SlotId From = namedBy(X, S);
            From != SlotId::None && Seen.insert(From).second)
          Work.push_back(From);
      }
    }
    return Found;
  }

private:
  /// What \p X makes \p S another name for; None if it does not.
  static SlotId namedBy(const Fact &X, SlotId S) {
    if (const auto *B = std::get_if<BindFact>(&X))
      return B->Dst == S ? B->Src.Slot : SlotId::None;
    if (const auto *V = std::get_if<ViewFact>(&X))
      return V->Dst == S ? V->Src.Slot : SlotId::None;
    const auto *O = std::get_if<OpFact>(&X);
    const bool IsName =
        O && O->Dst == S && O->Operands.size() == 1 &&
        (O->Rule->is(OpRole::Copies) || !O->Rule->Views.empty());
    return IsName ? O->Operands[0].Slot : SlotId::None;
  }

  const Function &F;
};

} // namespace

Site sumOfParameters(const Module &M) {
  for (const auto &F : M.Functions)
    for (const TransferFact &T : factsOf<TransferFact>(*F))
      if (T.K == TransferKind::AllReduce && T.Src.Slot != SlotId::None &&
          Sources(*F).areParameters(T.Src.Slot))
        return {F.get(), T.At};
  return {};
}

} // namespace spmd::lint
