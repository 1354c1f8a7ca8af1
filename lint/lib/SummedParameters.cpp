//===- SummedParameters.cpp - Sums that findings point to -----------------===//

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
    bool Found = false;
    return visit(Value,
                 [&](SlotId S) {
                   Found |= F.slot(S).Member == ParametersMember;
                   return !isGradient(S);
                 }) &&
           Found;
  }
  bool areGradients(SlotId Value) {
    return !visit(Value, [&](SlotId S) { return !isGradient(S); });
  }
  /// Whether \p Group, or what it is another name for, is said to be of \p
  /// Axis, or callers may say so.
  bool mayBeOf(SlotId Group, llvm::StringRef Axis) {
    const auto IsAmong = [&](const std::vector<std::string> &Said) {
      return llvm::is_contained(Said, Axis);
    };
    return !visit(Group, [&](SlotId S) {
      return index(S) >= F.NumParameters && !IsAmong(F.slot(S).DeclaredAxes) &&
             llvm::none_of(factsOf<DefineFact>(F), [&](const DefineFact &D) {
               return D.Dst == S && IsAmong(D.AxisNames);
             });
    });
  }

private:
  /// Whether \p GoesOn for \p Value and all that it is another name for.
  bool visit(SlotId Value, llvm::function_ref<bool(SlotId)> GoesOn) {
    llvm::SmallVector<SlotId, 8> Work{Value};
    llvm::DenseSet<SlotId> Seen{Value};
    while (!Work.empty()) {
      const SlotId S = Work.pop_back_val();
      if (!GoesOn(S))
        return false;
      for (const Fact &X : factsOf<Fact>(F))
        if (const SlotId From = namedBy(X, S);
            From != SlotId::None && Seen.insert(From).second)
          Work.push_back(From);
    }
    return true;
  }
  bool isGradient(SlotId S) const {
    return llvm::any_of(factsOf<GradientFact>(F),
                        [&](const GradientFact &G) { return G.Dst == S; });
  }
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

/// The first all_reduce of which \p Is, given its function's sources, says so.
static Site
firstSum(const Module &M,
         llvm::function_ref<bool(Sources, const TransferFact &)> Is) {
  for (const auto &F : M.Functions)
    for (const TransferFact &T : factsOf<TransferFact>(*F))
      if (T.K == TransferKind::AllReduce && T.Src.Slot != SlotId::None &&
          Is(Sources(*F), T))
        return {F.get(), T.At};
  return {};
}

Site sumOfParameters(const Module &M) {
  return firstSum(M, [](Sources Of, const TransferFact &T) {
    return Of.areParameters(T.Src.Slot);
  });
}

Site sumOverOtherGroup(const Module &M, llvm::StringRef Axis) {
  return firstSum(M, [&](Sources Of, const TransferFact &T) {
    return T.Axis.Slot != SlotId::None && Of.areGradients(T.Src.Slot) &&
           !Of.mayBeOf(T.Axis.Slot, Axis);
  });
}

} // namespace spmd::lint
