//===- Losses.cpp - What backward() begins with ---------------------------===//

#include "Losses.h"

#include "body/NamedModules.h"
#include "body/TrainedApart.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/Sequence.h"

namespace spmd::rules::inference {

void Losses::run(const IllegalLoss &Seen) {
  const auto &[B, A, Is, Legal] = Seen;
  // As in the last stage of a pipeline: no other rank has a loss.
  if (Is.Set.contains(LocalType::V) && In.Sums.isOnOneRank(A))
    return;
  if (Is.Set == TypeSet(LocalType::V) && isOfOwnModels(A))
    return;
  Violation V = Report.violation(LossType{Legal}, B.At, A, "backward");
  V.Operands.push_back(Report.operandOf(B.Loss, Is));
  if (Is.Set.contains(LocalType::V))
    E.reportUnlessReduced(std::move(V), A, hasCallersModel(A));
  else
    Report.report(std::move(V));
}

/// Whether the tensors in \p List differ between ranks, or are declared to.
bool Losses::trainsApart(SlotId List, AxisId A) const {
  const CellId Id = Store.cellOf(List);
  return Store.contents(Id)->Axes[A].Set.subsetOf(LocalType::V) ||
         trainedApart(F, Store, *In.Point.Now, In.Alias.heldBy(Id)) & 1u << A;
}

/// Whether \p List is an optimizer's that the caller made: nobody says of what,
/// and no loss is computed of it.
bool Losses::isGivenOptimizer(SlotId List) const {
  return !F.slot(List).Declared && isGiven(F, List) &&
         llvm::none_of(factsOf<OpFact>(F), [List](const OpFact &O) {
           return O.WritesTo != List &&
                  llvm::any_of(O.Operands, [List](const Operand &X) {
                    return X.Slot == List;
                  });
         });
}

/// Whether there are tensors of objects of which nobody says what they are.
bool Losses::hasUnknownWeights(AxisId A) const {
  return llvm::any_of(
      llvm::seq<std::uint32_t>(F.Slots.size()), [&](std::uint32_t I) {
        const Slot &S = F.Slots[I];
        return S.Kind == SlotKind::Field && S.IsTensor && !S.Declared &&
               S.Member != ParametersMember &&
               Store.contents(Store.cellOf(SlotId(I)))->Axes[A].Set.isAll();
      });
}

/// Whether each rank has a model of its own, and nothing that it has in common
/// with others: as in a stage of a pipeline, whose gradients are whole. An
/// optimizer that is given is that model's, where there is no other one.
bool Losses::isOfOwnModels(AxisId A) const {
  bool HasModel = false;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (!S.IsTensor || (!S.Declared && S.Member != ParametersMember))
      continue;
    const bool IsUnknown =
        Store.contents(Store.cellOf(SlotId(I)))->Axes[A].Set.isAll();
    const bool IsModels =
        IsUnknown && isGivenOptimizer(SlotId(I)) && !hasUnknownWeights(A);
    if (!IsModels && !trainsApart(SlotId(I), A))
      return false;
    HasModel |= S.Inherited;
  }
  return HasModel;
}

/// Whether a model is there that others have, too, and that is declared to be
/// the same on all ranks.
bool Losses::hasCallersModel(AxisId A) const {
  const auto IsOwn = [](SlotKind K) {
    return K == SlotKind::Local || K == SlotKind::Temporary;
  };
  return llvm::any_of(
      llvm::seq<std::uint32_t>(F.Slots.size()), [&](std::uint32_t I) {
        const Slot &S = F.Slots[I];
        return S.Inherited && S.IsTensor && !IsOwn(rootOf(F, S).Kind) &&
               Store.contents(Store.cellOf(SlotId(I)))
                   ->Axes[A]
                   .Set.subsetOf(LocalType::R | LocalType::I);
      });
}

} // namespace spmd::rules::inference
