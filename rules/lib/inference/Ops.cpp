//===- Ops.cpp - Ordinary ops and the loss --------------------------------===//

#include "FunctionAnalysis.h"

namespace spmd::rules::inference {

void FunctionAnalysis::transfer(const OpFact &O) {
  const unsigned NumAxes = E.universe().size();
  llvm::SmallVector<const Cell *, 4> Cells;
  for (const Operand &X : O.Operands)
    Cells.push_back(&read(X.Slot));

  Cell Out = unknownCell();
  const Origin *OfOp = nullptr, *OfConstant = nullptr;
  llvm::SmallVector<TypeSet, 4> Sets(O.Operands.size());
  for (AxisId A = 0; A != NumAxes; ++A) {
    bool Informed = O.Operands.empty();
    bool Constant = true;
    for (std::size_t I = 0; I != Sets.size(); ++I) {
      Sets[I] = Cells[I]->Undefined ? TypeSet::all() : Cells[I]->Axes[A].Set;
      Informed |= !Sets[I].isAll();
      Constant &= !Cells[I]->Undefined && isConstant(Cells[I]->Axes[A]);
    }
    const RuleResult R = applyRule(*O.Rule, Sets, O.FormalOf);
    if (R.Output.empty()) {
      if (Reporting)
        reportOp(O, A, R, Sets);
      // Unknown to what follows, but nothing to merges: in a loop the result
      // would else come round and excuse its own operand.
      Out.Undefined = true;
      continue;
    }
    if (!Informed && R.Output.isAll())
      continue;
    const Origin *&From = Constant ? OfConstant : OfOp;
    if (!From)
      From = origin(Constant ? Origin::Kind::Constant : Origin::Kind::Op, O.At,
                    O.Rule->Name);
    Out.Axes[A] = {R.Output, std::nullopt, R.Output.isAll() ? nullptr : From};
    // A copy, as of a scalar that is read, is the value it copies.
    if (O.Rule->Name == "copy" && R.Output == Sets[0] && Cells[0]->Axes[A].From)
      Out.Axes[A] = Cells[0]->Axes[A];
    if (Reporting && E.options().Strict)
      reportStrict(O, A, R, Sets, Cells);
    for (std::size_t I = 0; I != Sets.size(); ++I) {
      if (R.Narrowed[I] == Sets[I])
        continue;
      narrow(O.Operands[I].Slot, A, R.Narrowed[I],
             origin(Origin::Kind::Narrowed, O.At, O.Rule->Name));
    }
  }
  if (O.WritesTo != SlotId::None) {
    // Cleared gradients are the pending sum that they are declared to be.
    const Slot &Target = F.slot(O.WritesTo);
    if (Target.Declared && !Target.Declared->Exit) {
      const Cell Declared = initialCell(Target);
      for (AxisId A = 0; A != NumAxes; ++A)
        if (isConstant(Out.Axes[A]) &&
            Declared.Axes[A].Set.subsetOf(Out.Axes[A].Set | LocalType::V))
          Out.Axes[A] = Declared.Axes[A];
    }
    write(O.WritesTo, Out, O.PartialWrite);
    if (O.Dst != SlotId::None)
      bind(O.Dst, cellOf(O.WritesTo));
    return;
  }
  define(O.Dst, std::move(Out));
}

void FunctionAnalysis::transfer(const BackwardFact &B) {
  const Cell Loss = read(B.Loss.Slot);
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
    E.report(std::move(V));
  }
  // Gradients accumulate anew: what was reduced before is pending again.
  for (auto &[Id, C] : Current->Cells)
    if (C->Gradient != NoCell) {
      Cell Stale = *C;
      Stale.Gradient = NoCell;
      C = E.arena().cell(std::move(Stale));
    }
}

} // namespace spmd::rules::inference
