//===- Reports.cpp - From an illegal combination to a violation -----------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

Violation FunctionAnalysis::violation(ViolationKind K, PlaceId At, AxisId A,
                                      llvm::StringRef Op) const {
  Violation V;
  V.Kind = K;
  V.In = &F;
  V.At = At;
  V.Axis = E.universe().name(A);
  V.Cause = CurrentFact;
  V.Op = Op.str();
  return V;
}

ViolationOperand FunctionAnalysis::operandOf(const Operand &O,
                                             const AxisState &T) const {
  ViolationOperand Out;
  Out.At = O.At;
  if (O.Slot != SlotId::None)
    Out.Name = F.slot(O.Slot).Name;
  // No expression names what an optimizer reads.
  if (O.At == PlaceId::None && Out.Name.empty() && T.From &&
      T.From->K == Origin::Kind::Gradient)
    Out.Name = "the gradients";
  Out.Type = T.type();
  if (T.From)
    Out.From = *T.From;
  return Out;
}

ViolationOperand FunctionAnalysis::operandOf(const Operand &O, AxisId A) {
  return operandOf(O, read(O.Slot).Axes[A]);
}

/// Which check an illegal combination belongs to, from the application of the
/// rule where nothing legal is left.
static ViolationKind classify(OpClass Class, llvm::ArrayRef<TypeSet> Sets) {
  using T = LocalType;
  const auto Partial =
      llvm::count_if(Sets, [](TypeSet S) { return S == TypeSet(T::P); });
  const bool AnyInvariant = llvm::is_contained(Sets, TypeSet(T::I));
  switch (Class) {
  case OpClass::Linear:
    if (Partial)
      return ViolationKind::PartialAdd;
    break;
  case OpClass::Multilinear:
    if (Partial && !AnyInvariant)
      return ViolationKind::PartialProduct;
    break;
  case OpClass::Quotient:
    if (Sets.size() > 1 && llvm::is_contained(Sets.drop_front(), TypeSet(T::P)))
      return ViolationKind::PartialNonlinear;
    if (Partial && !AnyInvariant)
      return ViolationKind::PartialProduct;
    break;
  case OpClass::Nonlinear:
  case OpClass::Selector:
  case OpClass::Random:
    if (Partial)
      return ViolationKind::PartialNonlinear;
    break;
  case OpClass::StopGradient:
  case OpClass::ShapeOnly:
    break;
  }
  if (AnyInvariant)
    return ViolationKind::InvariantMix;
  return Class == OpClass::Multilinear ? ViolationKind::PartialProduct
         : Class == OpClass::Linear    ? ViolationKind::PartialAdd
                                       : ViolationKind::PartialNonlinear;
}

/// The slots that hold, or are computed from, a pending sum on \p A that the
/// caller passed.
llvm::BitVector FunctionAnalysis::givenPending(AxisId A) const {
  llvm::BitVector Given(static_cast<unsigned>(F.Slots.size()));
  for (auto [Slot, Index] : C.CellOf)
    if (C.Cells[Index].Axes[A].Set == TypeSet(LocalType::P))
      Given.set(Slot);
  bool Changed = Given.any();
  const auto Flow = [&](SlotId From, SlotId To) {
    if (From == SlotId::None || To == SlotId::None || !Given[index(From)] ||
        Given[index(To)])
      return;
    Given.set(index(To));
    Changed = true;
  };
  while (std::exchange(Changed, false))
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Op = std::get_if<OpFact>(&X))
          for (const Operand &From : Op->Operands)
            Flow(From.Slot, Op->Dst), Flow(From.Slot, Op->WritesTo);
        else if (const auto *Bind = std::get_if<BindFact>(&X))
          Flow(Bind->Src.Slot, Bind->Dst), Flow(Bind->Dst, Bind->Src.Slot);
        else if (const auto *View = std::get_if<ViewFact>(&X))
          Flow(View->Src.Slot, View->Dst), Flow(View->Dst, View->Src.Slot);
  return Given;
}

void FunctionAnalysis::reportOp(const OpFact &O, AxisId A, const RuleResult &R,
                                llvm::ArrayRef<TypeSet> Sets) {
  // That the caller passed a pending sum is one mistake, however often the
  // callee uses it.
  if (!E.isByItself(F)) {
    const llvm::BitVector Given = givenPending(A);
    const bool OfCaller = llvm::any_of(R.CulpritOperands, [&](unsigned I) {
      return Sets[I] == TypeSet(LocalType::P) &&
             Given[index(O.Operands[I].Slot)];
    });
    if (OfCaller && !Told.insert(A).second)
      return;
  }
  const OpClass Class = R.Culprit ? R.Culprit->Class : OpClass::Nonlinear;
  Violation V =
      violation(classify(Class, R.CulpritSets), O.At, A, O.Rule->Name);
  for (unsigned I : R.CulpritOperands) {
    V.Operands.push_back(operandOf(O.Operands[I], A));
    V.Operands.back().Written = O.writesOperand(I);
  }
  E.report(std::move(V));
}

/// What is added to each rank's term of a sum is in it once per rank.
void FunctionAnalysis::reportAddedToTerms(const OpFact &O, AxisId A,
                                          llvm::ArrayRef<TypeSet> Sets,
                                          const OperandList &Replicas,
                                          const TransferFact *By) {
  Violation V = violation(ViolationKind::PartialAdd, O.At, A, O.Rule->Name);
  for (const std::size_t I : Replicas) {
    V.Operands.push_back(operandOf(O.Operands[I], A));
    V.Operands.back().Written = O.writesOperand(static_cast<unsigned>(I));
  }
  if (addsProduct(O)) {
    ViolationOperand Sum;
    Sum.At = O.At;
    Sum.Type.Set = LocalType::P;
    Sum.Written = true; // it is the result: to reduce that is no repair
    V.Operands.push_back(std::move(Sum));
  } else {
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (Sets[I] == TypeSet(LocalType::V)) {
        V.Operands.push_back(operandOf(O.Operands[I], A));
        V.Operands.back().Written = O.writesOperand(static_cast<unsigned>(I));
      }
  }
  if (By) {
    V.RequiredAt = By->At;
    V.RequiredIn = &F;
  }
  E.report(std::move(V));
}

/// Strict: on some path the operands are types that are illegal together, or
/// one has none that is known and meets one that has.
void FunctionAnalysis::reportStrict(
    const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Case,
    const RuleResult &R, llvm::ArrayRef<const AbstractValue *> Cells) {
  const RuleResult Here = apply(O, Case);
  for (std::size_t I = 0; I != Case.size(); ++I) {
    const AxisState &Was = Cells[I]->Axes[A];
    if (Cells[I]->Undefined || (Was.Constant && Was.May.empty()))
      continue;
    // Among values of which nobody says anything, or only that they went
    // through a non-linear op, it is nobody's doubt.
    const auto IsTyped = [&](const AbstractValue *C) {
      return !C->Undefined && C->Axes[A].Set.size() < 3 && !C->Axes[A].Constant;
    };
    const bool Unknown = Was.Set.isAll() && Was.May.empty() &&
                         R.Narrowed[I] != Was.Set &&
                         llvm::any_of(Cells, IsTyped);
    const bool Open = Here.Output.empty() && !Was.May.empty();
    if (!Unknown && !Open)
      continue;
    // Nobody can say here what it is on an axis of another mesh.
    if (Unknown && mesh() && !mesh()->find(E.universe().name(A)))
      continue;
    // What the other types would have been reported as.
    llvm::SmallVector<TypeSet, 4> Dropped(Open ? llvm::ArrayRef(Case)
                                               : R.Narrowed);
    if (Unknown)
      Dropped[I] = Was.Set - R.Narrowed[I];
    const RuleResult Wrong = apply(O, Dropped);
    const ViolationKind Kind =
        Wrong.Culprit ? classify(Wrong.Culprit->Class, Wrong.CulpritSets)
                      : ViolationKind::InvariantMix;
    Violation V = violation(Kind, O.At, A, O.Rule->Name);
    V.Possible = true;
    V.Operands.push_back(operandOf(O.Operands[I], Was));
    V.Operands.back().Written = O.writesOperand(I);
    V.Required.Set =
        R.Narrowed[I] == Was.Set ? Was.Set - Case[I] : R.Narrowed[I];
    E.report(std::move(V));
    return;
  }
}

void FunctionAnalysis::reportTransfer(const TransferFact &T, ViolationKind K,
                                      AxisId A, const AxisState &Was,
                                      TypeSet Required) {
  Violation V = violation(K, T.At, A, transferName(T.K));
  V.Operands.push_back(operandOf(T.Src, Was));
  V.Required.Set = Required;
  if (T.From) {
    V.Required.ShardDim = T.From->ShardDim;
    V.RequiredAt = T.FromAt;
    V.RequiredIn = &F;
  }
  V.From = T.From;
  V.To = T.To;
  if (K == ViolationKind::SrcType) {
    const AbstractValue &C = read(T.Src.Slot);
    for (AxisId Other = 0; Other != C.Axes.size(); ++Other)
      if (Other != A && !C.Axes[Other].Set.isAll() &&
          C.Axes[Other].Set.subsetOf(Required))
        V.TypedElsewhere.push_back(E.universe().name(Other));
  }
  E.report(std::move(V));
}

void FunctionAnalysis::reportRedundant() {
  for (const Redundancy &R : RedundantTransfers(F, Sound).find()) {
    const TransferFact &First = *R.Transfers.front();
    const SoundTransfer &Noted = Sound.find(&First)->second;
    Violation V = violation(ViolationKind::Redundant, First.At, Noted.Axis,
                            transferName(First.K));
    V.Cause = nullptr; // the chain says it
    V.Operands.push_back(operandOf(First.Src, Noted.Was));
    V.From = First.From;
    V.To = R.Transfers.back()->To;
    V.Chain.assign(R.Transfers.begin(), R.Transfers.end());
    V.Instead = R.Instead;
    E.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
