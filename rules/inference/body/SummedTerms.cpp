//===- SummedTerms.cpp - What is added to the terms of a sum --------------===//

#include "SummedTerms.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

OperandList SummedTerms::addedToTerms(const OpFact &O, AxisId A,
                                      llvm::ArrayRef<TypeSet> Sets, bool IsTerm,
                                      const TransferFact *&By) {
  const OperandList Out = inference::addedToTerms(O, Sets);
  if (Out.empty() || llvm::is_contained(Decls.Global, A) ||
      In.Sums.isOnOneRank(A))
    return {};
  if (IsTerm)
    return withoutShares(O, Out);
  const auto [Known, New] = Summers.try_emplace(&O);
  if (New)
    Known->second = inference::summedBy(
        F, O, [this](const CallFact &Call) { return calleeOf(Call); });
  return addedToTerms(O, A, Sets, Known->second, By);
}

OperandList SummedTerms::addedToTerms(const OpFact &O, AxisId A,
                                      llvm::ArrayRef<TypeSet> Sets,
                                      const SumList &Sums,
                                      const TransferFact *&By) {
  if (llvm::is_contained(Decls.Global, A) || In.Sums.isOnOneRank(A))
    return {};
  for (const TransferFact *T : Sums)
    if (!By && llvm::is_contained(spanOf(T->Axis.Slot), A))
      By = T;
  return By ? withoutShares(O, inference::addedToTerms(O, Sets))
            : OperandList();
}

SummedTerms::SumList SummedTerms::summedBy(const CallFact &Call,
                                           SlotId Given) const {
  return inference::summedBy(F, Call, Given,
                             [this](const CallFact &C) { return calleeOf(C); });
}

const Function *SummedTerms::calleeOf(const CallFact &Call) const {
  return In.E.find(Call.Callee);
}

/// A share of it on each rank is it once; of the host's numbers, and of
/// literals, nobody knows what they count.
OperandList SummedTerms::withoutShares(const OpFact &O, OperandList Replicas) {
  llvm::erase_if(Replicas, [&](std::size_t I) {
    const SlotId Slot = O.Operands[I].Slot;
    const AbstractValue &Is = Store.read(Slot);
    return Is.Number || isScaled(F, Slot) ||
           llvm::all_of(Is.Axes, [](const AxisState &A) { return A.Constant; });
  });
  return Replicas;
}

/// The axes of a communicator, also of one that later code makes.
AxisList SummedTerms::spanOf(SlotId Axis) {
  if (Axis == SlotId::None)
    return {};
  if (const AxisList &Known = Store.read(Axis).Span; !Known.empty())
    return Known;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts)
      if (const auto *D = std::get_if<DefineFact>(&X);
          D && D->Dst == Axis && D->K == DefineFact::Kind::Axes)
        return Decls.axesOf(D->AxisNames);
  return {};
}

} // namespace spmd::rules::inference
