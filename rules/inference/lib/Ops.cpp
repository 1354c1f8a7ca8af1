//===- Ops.cpp - Ordinary ops and the loss --------------------------------===//

#include "FunctionAnalysis.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// Whether a set of results means "one of these": what random numbers or the
/// shapes of shards make of it is not up to the use.
bool leavesOpen(const RuleTerm &T) {
  return (T.K == RuleTerm::Kind::Apply &&
          (T.Class == OpClass::Random || T.Class == OpClass::ShapeOnly)) ||
         llvm::any_of(T.Children, leavesOpen);
}

/// Whether \p C is made of literals alone.
bool isConstant(const AbstractValue &C) {
  return !C.Undefined &&
         llvm::all_of(C.Axes, [](const AxisState &A) { return A.Constant; });
}

/// Calls \p Visit with what the operands may be together: one member of each
/// that has no sure one, the sure ones of the others. Operands that are one
/// value are the same. False when these are too many: then it is two at a time.
bool eachCase(AxisId A, llvm::ArrayRef<const AbstractValue *> Cells,
              std::size_t MaxOpen,
              llvm::function_ref<void(llvm::ArrayRef<TypeSet>)> Visit) {
  llvm::SmallVector<TypeSet, 4> Sets;
  llvm::SmallVector<std::size_t, 4> Open; ///< the first of each open value
  for (std::size_t I = 0; I != Cells.size(); ++I) {
    const AxisState Was = Cells[I]->Undefined ? AxisState() : Cells[I]->Axes[A];
    const bool IsOpen = Was.must().empty();
    Sets.push_back(IsOpen ? Was.Set : Was.must());
    const bool Seen =
        llvm::any_of(Open, [&](std::size_t X) { return Cells[X] == Cells[I]; });
    if (IsOpen && !Seen)
      Open.push_back(I);
  }
  const auto VisitAll = [&](llvm::ArrayRef<std::size_t> Values) {
    std::vector<llvm::SmallVector<TypeSet, 4>> Cases{Sets};
    for (std::size_t X : llvm::reverse(Values)) {
      const std::vector<llvm::SmallVector<TypeSet, 4>> Before =
          std::exchange(Cases, {});
      for (const auto &Case : Before)
        for (LocalType Member : AllLocalTypes)
          if (Sets[X].contains(Member)) {
            Cases.push_back(Case);
            for (std::size_t I = 0; I != Cells.size(); ++I)
              if (Cells[I] == Cells[X])
                Cases.back()[I] = Member;
          }
    }
    for (const auto &Case : Cases)
      Visit(Case);
  };
  if (Open.size() <= MaxOpen) {
    VisitAll(Open);
    return true;
  }
  for (std::size_t I = 0; I != Open.size(); ++I)
    for (std::size_t J = 0; J != I; ++J)
      VisitAll({Open[I], Open[J]});
  return false;
}

} // namespace

/// The members of \p Output that some case does not have.
TypeSet FunctionAnalysis::mayOf(const OpFact &O, AxisId A,
                                llvm::ArrayRef<const AbstractValue *> Cells,
                                TypeSet Output) const {
  if (leavesOpen(O.Rule->Term) && !Output.isAll() && !Output.isSingle())
    return Output;
  const bool Doubts = llvm::any_of(Cells, [&](const AbstractValue *C) {
    return !C->Undefined && !C->Axes[A].May.empty();
  });
  TypeSet Sure = Output;
  const auto Narrow = [&](llvm::ArrayRef<TypeSet> Case) {
    const TypeSet Here = apply(O, Case).Output;
    if (!Here.empty()) // reported
      Sure &= Here;
  };
  const Limits &Caps = E.options().Caps;
  if (Doubts && !eachCase(A, Cells, Caps.OpenOperands, Narrow)) {
    E.giveUp({&F, O.At, Limit::OpenOperands});
    Sure = TypeSet::none();
  }
  return Output - Sure;
}

/// The rank over two axes is neither's: `rank % 4`, `rank / 4` and `rank < 4`
/// may be the same along one of them. Only whether it is a certain rank is not.
static void divideRank(const OpFact &O,
                       llvm::ArrayRef<const AbstractValue *> Cells,
                       AbstractValue &Out) {
  const auto IsAny = [&](std::initializer_list<OpRole> Roles) {
    return llvm::any_of(Roles, [&](OpRole R) { return O.Rule->is(R); });
  };
  std::uint32_t Over = 0;
  for (const AbstractValue *C : Cells)
    Over |= C->Undefined ? 0 : C->RankOver;
  if (!Over ||
      IsAny({OpRole::ComparesEqual, OpRole::ComparesUnequal, OpRole::Inverts}))
    return;
  if (IsAny({OpRole::Copies, OpRole::Adds, OpRole::Subtracts,
             OpRole::Multiplies})) {
    Out.RankOver = Over;
    return;
  }
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    if (Over & 1u << A)
      Out.Axes[A] = AxisState();
}

void FunctionAnalysis::transfer(const OpFact &O) {
  const unsigned NumAxes = E.universe().size();
  llvm::SmallVector<const AbstractValue *, 4> Cells;
  for (const Operand &X : O.Operands)
    Cells.push_back(&read(X.Slot));

  AbstractValue Out = unknownValue();
  bool Wrong = false;
  const Origin *OfOp = nullptr, *OfConstant = nullptr;
  llvm::SmallVector<TypeSet, 4> Sets(O.Operands.size());
  llvm::SmallVector<bool, 4> Reads;
  for (const unsigned Formal : O.FormalOf)
    Reads.push_back(readsValue(O.Rule->Term, Formal));
  const bool ReadsNone = !llvm::is_contained(Reads, true);
  const AxisList Summed = outPartialOfFact();
  bool AllNumbers = !Cells.empty(), ScalesTensor = false;
  llvm::SmallVector<SlotId, 4> AddedTo(NumAxes, SlotId::None);
  for (const AbstractValue *C : Cells) {
    AllNumbers &= C->Number || isConstant(*C);
    ScalesTensor |= !C->Number;
  }
  ScalesTensor &= isMultilinear(O.Rule->Term);
  Out.Number = AllNumbers;
  for (AxisId A = 0; A != NumAxes; ++A) {
    bool Informed = ReadsNone;
    bool Constant = true;
    for (std::size_t I = 0; I != Sets.size(); ++I) {
      Sets[I] = Cells[I]->Undefined ? TypeSet::all() : Cells[I]->Axes[A].Set;
      if (!Reads[I])
        continue;
      Informed |= !Sets[I].isAll() || !Cells[I]->Axes[A].May.empty();
      Constant &= !Cells[I]->Undefined && Cells[I]->Axes[A].Constant;
    }
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (slicesPending(O, Sets, I))
        Sets[I] = LocalType::R;
    if (ScalesTensor && Informed)
      for (std::size_t I = 0; I != Sets.size(); ++I)
        if (Cells[I]->Number && Sets[I].isAll())
          Sets[I] = TypeSet::all() - LocalType::P;
    const bool IsTerm =
        llvm::is_contained(Summed, A) && !llvm::is_contained(Global, A);
    RuleResult R = apply(O, Sets);
    if (R.Output.empty() && IsTerm && addsPending(O, Sets)) {
      R.Output = LocalType::P;
      R.Narrowed = Sets;
    }
    const TransferFact *SummedBy = nullptr;
    const OperandList Replicas = addedToTerms(O, A, Sets, IsTerm, SummedBy);
    const std::optional<std::size_t> PendingSum = addsOnceTo(O, A, Sets);
    if (PendingSum) {
      R.Output = LocalType::P;
      R.Narrowed = Sets;
      AddedTo[A] = O.Operands[*PendingSum].Slot;
    }
    bool Unfit = false;
    if (O.Rule->Views.empty() && R.Output == TypeSet(LocalType::P))
      for (const Operand &X : O.Operands)
        Unfit |= readsPartialAtVaryingOffset(X, A, O.At, O.Rule->Name);
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (Reads[I] && !O.Operands[I].Scalar)
        Unfit |= readsModifiedDivergently(
            O.Operands[I], A,
            givesGradient(O) && passesGradient(O.Rule->Term, O.FormalOf[I]),
            O.At, O.Rule->Name);
    if (Unfit) {
      Wrong = Out.Undefined = Out.Wrong = true;
      continue;
    }
    if (R.Output.empty()) {
      Wrong = true;
      if (Reporting && Replicas.empty())
        reportOp(O, A, R, Sets);
      else if (Reporting)
        reportAddedToTerms(O, A, Sets, Replicas, SummedBy);
      // Unknown to what follows, but nothing to merges.
      Out.Undefined = Out.Wrong = true;
      continue;
    }
    if (!Replicas.empty()) {
      if (Reporting)
        reportAddedToTerms(O, A, Sets, Replicas, SummedBy);
      // That it is no pending sum, as is declared there, is the same mistake.
      if (SummedBy && SummedBy->From) {
        Wrong = Out.Undefined = Out.Wrong = true;
        continue;
      }
    }
    if (!Informed && R.Output.isAll())
      continue;
    const Origin *&From = Constant ? OfConstant : OfOp;
    if (!From)
      From = origin(Constant ? Origin::Kind::Constant : Origin::Kind::Op, O.At,
                    O.Rule->Name);
    Out.Axes[A] = AxisState::of(R.Output, R.Output.isAll() ? nullptr : From,
                                mayOf(O, A, Cells, R.Output));
    Out.Axes[A].Constant = Constant && !R.Output.isAll() &&
                           (LocalType::R | LocalType::I).subsetOf(R.Output);
    // A copy, as of a scalar that is read, is the value it copies.
    if (O.Rule->is(OpRole::Copies) && Sets.size() == 1 && R.Output == Sets[0])
      Out.Axes[A] = Cells[0]->Axes[A];
    if (Reporting && E.options().Strict && !PendingSum)
      eachCase(A, Cells, E.options().Caps.OpenOperands,
               [&](llvm::ArrayRef<TypeSet> Case) {
                 reportStrict(O, A, Case, R, Cells);
               });
    for (std::size_t I = 0; I != Sets.size(); ++I) {
      if (R.Narrowed[I] == Sets[I])
        continue;
      narrow(O.Operands[I].Slot, A, R.Narrowed[I],
             origin(Origin::Kind::Narrowed, O.At, O.Rule->Name));
    }
  }
  for (std::size_t I = 0; I != Cells.size(); ++I)
    if (Reads[I] && Cells[I]->Wrong)
      Out.Undefined = Out.Wrong = true;
  // A copy of nothing is nothing yet.
  if (O.Rule->is(OpRole::Copies) && Cells.size() == 1 && Cells[0]->Undefined &&
      !O.Operands[0].Scalar)
    Out.Undefined = true;
  Out.IsGradient = !Cells.empty();
  for (std::size_t I = 0; I != Cells.size(); ++I)
    Out.IsGradient &= Cells[I]->IsGradient || O.Operands[I].Scalar;
  divideRank(O, Cells, Out);
  countRanks(O, Cells, Out);
  Out.Spec = specOfResult(O, Wrong, Out);
  if (!Out.Undefined)
    varyAsSharded(O, Out);
  if (O.WritesTo == SlotId::None && !O.Rule->Views.empty() && !Wrong)
    viewOperand(O, Out);
  if (O.WritesTo != SlotId::None) {
    // Cleared gradients are the pending sum that they are declared to be.
    const Slot &Target = F.slot(O.WritesTo);
    if (Target.Declared && !Target.Declared->Exit) {
      const AbstractValue Declared = initialValue(Target);
      for (AxisId A = 0; A != NumAxes; ++A)
        if (Out.Axes[A].Constant &&
            Declared.Axes[A].Set.subsetOf(Out.Axes[A].Set | LocalType::V))
          Out.Axes[A] = Declared.Axes[A];
    }
    if (!Global.empty())
      writeSpec(O, Out);
    for (AxisId A = 0; A != NumAxes; ++A)
      AddsInPlace |= AddedTo[A] == O.WritesTo ? 1u << A : 0;
    AddsInPlace |= copiesAdded(O);
    write(O.WritesTo, Out, O.PartialWrite);
    AddsInPlace = 0;
    if (O.Dst != SlotId::None)
      bind(O.Dst, cellOf(O.WritesTo));
    return;
  }
  for (AxisId A = 0; A != NumAxes; ++A)
    noteAdded(AddedTo[A], A);
  copiesAdded(O);
  define(O.Dst, std::move(Out));
}

void FunctionAnalysis::transfer(const BackwardFact &B) {
  const AbstractValue Loss =
      B.Loss.Slot == SlotId::None ? AbstractValue() : read(B.Loss.Slot);
  const TypeSet Legal = LocalType::P | LocalType::I;
  for (AxisId A = 0; A != Loss.Axes.size(); ++A) {
    const TypeSet Set = Loss.Axes[A].Set;
    if (Loss.Undefined || Set.isAll())
      continue;
    if (!(Set & Legal).empty()) {
      narrow(B.Loss.Slot, A, Set & Legal,
             origin(Origin::Kind::Narrowed, B.At, "backward"));
      continue;
    }
    if (!Reporting)
      continue;
    Violation V = violation(ViolationKind::LossType, B.At, A, "backward");
    V.Operands.push_back(operandOf(B.Loss, Loss.Axes[A]));
    V.Required.Set = Legal;
    if (Set.contains(LocalType::V))
      E.reportUnlessReduced(std::move(V), A);
    else
      E.report(std::move(V));
  }
  forgetGradients();
}

} // namespace spmd::rules::inference
