//===- SummedTerms.cpp - What is added to the terms of a sum --------------===//

#include "SummedTerms.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

OperandList SummedTerms::addedToTerms(const OpFact &O, AxisId A,
                                      llvm::ArrayRef<TypeSet> Sets, bool IsTerm,
                                      const TransferFact *&By) {
  const OperandList Out = inference::addedToTerms(O, heldBy(O, A, Sets));
  const OperandList Literals = literalsOf(O, A, Sets);
  if ((Out.empty() && Literals.empty()) ||
      llvm::is_contained(Decls.Global, A) || In.Sums.isOnOneRank(A))
    return {};
  if (IsTerm)
    return Out.empty() ? Literals : withoutShares(O, A, Out, /*IsSaid=*/true);
  // Two sums of which one has the other in it are no average, if scaled then.
  const bool OfSum = llvm::any_of(
      Out, [&](std::size_t I) { return held(O, I).Axes[A].Summed; });
  const SumList &Sums = summedBy(O, OfSum);
  if (Sums.empty())
    noteDoubt(O, A, Sets);
  OperandList Added = addedToTerms(O, A, Sets, Sums, By);
  if (!Added.empty() || !By)
    return Added;
  // Of what is said to be a pending sum, they are in it once per rank.
  return By->K == TransferKind::OutPartial ? Literals : OperandList();
}

const SummedTerms::SumList &SummedTerms::summedBy(const OpFact &O,
                                                  bool Scaled) {
  const auto [Known, New] = Summers[Scaled].try_emplace(&O);
  if (New)
    Known->second = inference::summedBy(
        F, O, [this](const CallFact &Call) { return calleeOf(Call); }, Scaled);
  return Known->second;
}

bool SummedTerms::addsUp(const OpFact &O, AxisId A) {
  return !In.Sums.isOnOneRank(A) &&
         llvm::any_of(summedBy(O, /*Scaled=*/true), [&](const TransferFact *T) {
           return llvm::is_contained(spanOf(T->Axis.Slot), A);
         });
}

/// Where \p O is run on some ways only, these are worth to be looked at by
/// themselves. Nobody is told.
void SummedTerms::noteDoubt(const OpFact &O, AxisId A,
                            llvm::ArrayRef<TypeSet> Sets) {
  if (!In.E.options().OnlyDoubts || !In.Report.isOn() ||
      (In.Branches.splitAt(In.Point.Block) & 1u << A))
    return;
  const SumList Sums = summedOnSomeWay(
      F, O, [this](const CallFact &Call) { return calleeOf(Call); });
  const TransferFact *By = nullptr;
  const OperandList Added = addedToTerms(O, A, Sets, Sums, By);
  if (Added.empty())
    return;
  Violation V = violation(O, A, Sets, Added, By);
  V.Unsure = OnlyLegal{{LocalType::P, std::nullopt}};
  In.Report.report(std::move(V));
}

/// What is nothing but a number of the program's, no share of anything, and is
/// added to terms of a sum.
OperandList SummedTerms::literalsOf(const OpFact &O, AxisId A,
                                    llvm::ArrayRef<TypeSet> Sets) {
  OperandList Out = numbersAddedToTerms(O, Sets);
  llvm::erase_if(Out, [&](std::size_t I) {
    const AbstractValue &Is = held(O, I);
    return Is.Undefined || !Is.Axes[A].Constant || Is.Axes[A].Share ||
           isZeroNumber(Is) || Is.Axes[A].Set.contains(LocalType::P);
  });
  return Out;
}

OperandList SummedTerms::addedToTerms(const OpFact &O, AxisId A,
                                      llvm::ArrayRef<TypeSet> Sets,
                                      const SumList &Sums,
                                      const TransferFact *&By) {
  if (llvm::is_contained(Decls.Global, A) || In.Sums.isOnOneRank(A))
    return {};
  // What adds them up says more than what announces that.
  for (const TransferFact *T : Sums)
    if (llvm::is_contained(spanOf(T->Axis.Slot), A) &&
        (!By || (By->K == TransferKind::OutPartial &&
                 T->K != TransferKind::OutPartial)))
      By = T;
  return By ? withoutShares(O, A,
                            inference::addedToTerms(O, heldBy(O, A, Sets)),
                            By->K == TransferKind::OutPartial)
            : OperandList();
}

const AddedReplica *SummedTerms::addedHere(const OpFact &O, AxisId A,
                                           llvm::ArrayRef<TypeSet> Sets) {
  OperandList Replicas = inference::addedToTerms(O, heldBy(O, A, Sets));
  if (Replicas.empty() || llvm::is_contained(Decls.Global, A) ||
      In.Sums.isOnOneRank(A))
    return nullptr;
  Replicas = withoutShares(O, A, std::move(Replicas), /*IsSaid=*/false);
  if (Replicas.empty())
    return nullptr;
  return In.E.arena().added(
      F, O.At, A, [&] { return violation(O, A, Sets, Replicas, nullptr); });
}

const AddedReplica *SummedTerms::addedSoFar(const OpFact &O, AxisId A,
                                            llvm::ArrayRef<TypeSet> Sets) {
  if (const AddedReplica *Added = addedHere(O, A, Sets))
    return Added;
  if (!O.Rule->is(OpRole::Adds))
    return nullptr;
  // In a loop it is that sum itself at first.
  const TypeSet Terms = LocalType::R | LocalType::I | LocalType::V;
  const AddedReplica *Earlier = nullptr;
  for (std::size_t I = 0; I != Sets.size(); ++I) {
    const AddedReplica *Before = Store.read(O.Operands[I].Slot).Axes[A].Added;
    const auto *Add = Before ? Before->What.as<PartialAdd>() : nullptr;
    if (Add && Add->OfSum && Sets[I].subsetOf(Terms))
      Earlier = Before;
    else if (Sets[I] != TypeSet(LocalType::V))
      return nullptr;
  }
  return Earlier;
}

Violation SummedTerms::violation(const OpFact &O, AxisId A,
                                 llvm::ArrayRef<TypeSet> Sets,
                                 const OperandList &Replicas,
                                 const TransferFact *By) const {
  Violation V = In.Report.violation(PartialAdd{By ? Site{&F, By->At} : Site()},
                                    O.At, A, O.Rule->Name);
  const auto Seen = [&](std::size_t I) {
    return In.Report.operandOf(O, I, held(O, I), A);
  };
  for (const std::size_t I : Replicas) {
    V.Operands.push_back(Seen(I));
    std::get<PartialAdd>(V.What).OfSum |= held(O, I).Axes[A].Summed;
  }
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

const AbstractValue &SummedTerms::held(const OpFact &O, std::size_t I) const {
  if (const auto *Sum = In.Facts.Accumulated.find(O); Sum && Sum->Operand == I)
    if (const auto At = In.BeforeSums.find(Sum->Loop);
        At != In.BeforeSums.end() && At->second.Reached)
      if (const AbstractValue *Was =
              At->second.contents(At->second.cellOf(index(Sum->Buffer)));
          Was && !Was->Undefined &&
          llvm::any_of(Was->Axes, [](const AxisState &A) { return A.Summed; }))
        return *Was;
  return Store.read(O.Operands[I].Slot);
}

llvm::SmallVector<TypeSet, 4>
SummedTerms::heldBy(const OpFact &O, AxisId A,
                    llvm::ArrayRef<TypeSet> Sets) const {
  llvm::SmallVector<TypeSet, 4> Out(Sets);
  if (const auto *Sum = In.Facts.Accumulated.find(O))
    if (const AbstractValue &Was = held(O, Sum->Operand); !Was.Undefined)
      Out[Sum->Operand] = Was.Axes[A].Set;
  return Out;
}

SummedTerms::SumList SummedTerms::summedBy(const CallFact &Call,
                                           SlotId Given) const {
  return inference::summedBy(F, Call, Given,
                             [this](const CallFact &C) { return calleeOf(C); });
}

const Function *SummedTerms::calleeOf(const CallFact &Call) const {
  return In.E.find(Call.Callee);
}

bool SummedTerms::mayBeShare(SlotId Slot) {
  const auto [Known, New] = Shares.try_emplace(index(Slot));
  if (New)
    Known->second = inference::mayBeShare(F, Slot);
  return Known->second;
}

/// By what number of ranks \p Slot is a quotient; null if it is none.
static const DefineFact *dividedBy(const Function &F, SlotId Slot) {
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == Slot && O.Rule->is(OpRole::Divides) && O.Operands.size() == 2)
      for (const DefineFact &D : factsOf<DefineFact>(F))
        if (D.Dst == O.Operands[1].Slot && D.K == DefineFact::Kind::SizeOf)
          return &D;
  return nullptr;
}

/// A share of it on each rank is it once; of the host's numbers, and of
/// literals, nobody knows what they count. By how much each rank's value
/// differs from what all have is its own, a residual or a step, unless it \p
/// IsSaid to be a term.
OperandList SummedTerms::withoutShares(const OpFact &O, AxisId A,
                                       OperandList Replicas, bool IsSaid) {
  const bool IsDifference = O.Rule->is(OpRole::Subtracts) && !IsSaid;
  const auto IsShare = [&](std::size_t I) {
    const SlotId Slot = O.Operands[I].Slot;
    if (held(O, I).Axes[A].Summed || !mayBeShare(Slot))
      return false;
    const DefineFact *By = dividedBy(F, Slot);
    const AxisList Over = By ? spanOf(By->Axis) : AxisList();
    return Over.empty() || llvm::is_contained(Over, A);
  };
  llvm::erase_if(Replicas, [&](std::size_t I) {
    const AbstractValue &Is = held(O, I);
    return Is.Number || IsShare(I) || (IsDifference && !Is.Axes[A].Summed) ||
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
