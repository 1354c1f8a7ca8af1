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

const AddedReplica *SummedTerms::addedHere(const OpFact &O, AxisId A,
                                           llvm::ArrayRef<TypeSet> Sets) {
  OperandList Replicas = inference::addedToTerms(O, Sets);
  if (Replicas.empty() || llvm::is_contained(Decls.Global, A) ||
      In.Sums.isOnOneRank(A))
    return nullptr;
  Replicas = withoutShares(O, std::move(Replicas));
  if (Replicas.empty())
    return nullptr;
  return In.E.arena().added(
      F, O.At, A, [&] { return violation(O, A, Sets, Replicas, nullptr); });
}

Violation SummedTerms::violation(const OpFact &O, AxisId A,
                                 llvm::ArrayRef<TypeSet> Sets,
                                 const OperandList &Replicas,
                                 const TransferFact *By) const {
  Violation V = In.Report.violation(PartialAdd{By ? Site{&F, By->At} : Site()},
                                    O.At, A, O.Rule->Name);
  const auto Seen = [&](std::size_t I) {
    return In.Report.operandOf(O, I, Store.read(O.Operands[I].Slot), A);
  };
  for (const std::size_t I : Replicas)
    V.Operands.push_back(Seen(I));
  if (addsProduct(O)) {
    ViolationOperand Sum;
    Sum.At = O.At;
    Sum.Type.Set = LocalType::P;
    Sum.Written = true; // it is the result: to reduce that is no repair
    V.Operands.push_back(std::move(Sum));
  } else {
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (Sets[I] == TypeSet(LocalType::V))
        V.Operands.push_back(Seen(I));
  }
  return V;
}

SummedTerms::SumList SummedTerms::summedBy(const CallFact &Call,
                                           SlotId Given) const {
  return inference::summedBy(F, Call, Given,
                             [this](const CallFact &C) { return calleeOf(C); });
}

const Function *SummedTerms::calleeOf(const CallFact &Call) const {
  return In.E.find(Call.Callee);
}

bool SummedTerms::isScaled(SlotId Slot) {
  const auto [Known, New] = Scaled.try_emplace(index(Slot));
  if (New)
    Known->second = inference::isScaled(F, Slot);
  return Known->second;
}

/// A share of it on each rank is it once; of the host's numbers, and of
/// literals, nobody knows what they count.
OperandList SummedTerms::withoutShares(const OpFact &O, OperandList Replicas) {
  llvm::erase_if(Replicas, [&](std::size_t I) {
    const SlotId Slot = O.Operands[I].Slot;
    const AbstractValue &Is = Store.read(Slot);
    return Is.Number || isScaled(Slot) ||
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
