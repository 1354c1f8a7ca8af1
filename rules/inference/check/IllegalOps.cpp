//===- IllegalOps.cpp - Operands that an op must not have -----------------===//

#include "IllegalOps.h"

#include "domain/OpenCases.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Which check an illegal combination belongs to, from the application of the
/// rule where nothing legal is left.
static FindingDetail classify(OpClass Class, llvm::ArrayRef<TypeSet> Sets) {
  using T = LocalType;
  const auto Partial =
      llvm::count_if(Sets, [](TypeSet S) { return S == TypeSet(T::P); });
  const bool AnyInvariant = llvm::is_contained(Sets, TypeSet(T::I));
  switch (Class) {
  case OpClass::Linear:
    if (Partial)
      return PartialAdd();
    break;
  case OpClass::Multilinear:
    if (Partial && !AnyInvariant)
      return PartialProduct();
    break;
  case OpClass::Quotient:
    if (Sets.size() > 1 && llvm::is_contained(Sets.drop_front(), TypeSet(T::P)))
      return PartialNonlinear();
    if (Partial && !AnyInvariant)
      return PartialProduct();
    break;
  case OpClass::Nonlinear:
  case OpClass::Selector:
  case OpClass::Random:
    if (Partial)
      return PartialNonlinear();
    break;
  case OpClass::StopGradient:
  case OpClass::ShapeOnly:
  case OpClass::OwnPart:
    break;
  }
  if (AnyInvariant)
    return InvariantMix();
  if (Class == OpClass::Multilinear)
    return PartialProduct();
  if (Class == OpClass::Linear)
    return PartialAdd();
  return PartialNonlinear();
}

/// The slots that hold, or are computed from, a pending sum on \p A that the
/// caller passed.
llvm::BitVector IllegalOps::givenPending(AxisId A) const {
  llvm::BitVector Given(static_cast<unsigned>(F.Slots.size()));
  for (auto [Slot, Index] : In.C.CellOf)
    if (In.C.Cells[Index].Axes[A].Set == TypeSet(LocalType::P))
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

void IllegalOps::run(const IllegalOperands &Seen) {
  const auto &[O, A, R, Sets] = Seen;
  // That the caller passed a pending sum is one mistake, however often the
  // callee uses it.
  if (!E.isByItself(F)) {
    const llvm::BitVector Given = givenPending(A);
    const bool OfCaller =
        llvm::any_of(R.CulpritOperands, [&, &O = O, &Sets = Sets](unsigned I) {
          return Sets[I] == TypeSet(LocalType::P) &&
                 Given[index(O.Operands[I].Slot)];
        });
    if (OfCaller && !Told.insert(A).second)
      return;
  }
  FindingDetail What = classify(
      R.Culprit ? R.Culprit->Class : OpClass::Nonlinear, R.CulpritSets);
  if (auto *P = std::get_if<PartialNonlinear>(&What);
      P && O.Operands.size() == 2 && O.Rule->Term.Class == OpClass::Quotient)
    P->As = PartialNonlinear::Place::Divisor;
  Violation V = Report.violation(std::move(What), O.At, A, O.Rule->Name);
  for (unsigned I : R.CulpritOperands) {
    V.Operands.push_back(operandOf(O, I, A));
  }
  Report.report(std::move(V));
}

void IllegalOps::run(const RuleApplied &Seen) {
  if (Report.isStrict())
    eachCase(Seen.A, Seen.Cells, E.options().Caps.OpenOperands,
             [&](llvm::ArrayRef<TypeSet> Case) {
               mayBeIllegalAs(Seen.O, Seen.A, Case, Seen.R, Seen.Cells);
             });
}

void IllegalOps::mayBeIllegalAs(const OpFact &O, AxisId A,
                                llvm::ArrayRef<TypeSet> Case,
                                const RuleResult &R,
                                llvm::ArrayRef<const AbstractValue *> Cells) {
  const RuleResult Here = In.Facts.apply(O, Case);
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
    if (Unknown && Decls.mesh() && !Decls.mesh()->find(E.universe().name(A)))
      continue;
    // What the other types would have been reported as.
    llvm::SmallVector<TypeSet, 4> Dropped(Open ? llvm::ArrayRef(Case)
                                               : R.Narrowed);
    if (Unknown)
      Dropped[I] = Was.Set - R.Narrowed[I];
    const RuleResult Wrong = In.Facts.apply(O, Dropped);
    Violation V = Report.violation(
        Wrong.Culprit ? classify(Wrong.Culprit->Class, Wrong.CulpritSets)
                      : InvariantMix(),
        O.At, A, O.Rule->Name);
    V.Unsure =
        OnlyLegal{{R.Narrowed[I] == Was.Set ? Was.Set - Case[I] : R.Narrowed[I],
                   std::nullopt}};
    V.Operands.push_back(Report.operandOf(O.Operands[I], Was));
    V.Operands.back().Written = O.writesOperand(I);
    Report.report(std::move(V));
    return;
  }
}

} // namespace spmd::rules::inference
