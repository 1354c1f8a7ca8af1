//===- SummedGradients.cpp - Sums that a backward pass adds to ------------===//

#include "SummedGradients.h"

namespace spmd::rules::inference {

SummedGradients::SummedGradients(Body &In, const BackwardFact &B)
    : In(In), B(B) {
  const State &Now = *In.Point.Now;
  Now.forEachCell([&](CellId Id, const AbstractValue &Primal) {
    const AbstractValue *Of = Gradients::gradientOf(Now, Id);
    for (AxisId A = 0; A != Primal.Axes.size(); ++A)
      if (!Of) { // the pass before has left it so
        if (Primal.Axes[A].UnderGradient)
          Found.push_back({Id, A, Primal.Axes[A].UnderGradient});
      } else if (!Of->Undefined && Of->Axes[A].Summed) {
        Found.push_back({Id, A, In.E.arena().added(In.F, B.At, A, [&] {
                           return violation(Of->Axes[A], A);
                         })});
      }
  });
}

Violation SummedGradients::violation(const AxisState &Sum, AxisId A) const {
  Violation V = In.Report.violation(PartialAdd{Site(), /*OfSum=*/true}, B.At, A,
                                    "backward");
  const auto Seen = [&](const AxisState &Is, llvm::StringRef Name) {
    ViolationOperand O = In.Report.operandOf(Operand(), Is);
    O.Name = Name;
    O.IsGradient = true;
    V.Operands.push_back(std::move(O));
  };
  Seen(Sum, "the earlier gradient");
  Seen(AxisState::of(LocalType::P,
                     In.Decls.origin(Origin::Kind::Op, B.At, "backward")),
       "the gradients");
  return V;
}

void SummedGradients::note() {
  for (const Under &Of : Found) {
    AbstractValue Primal = *In.Store.contents(Of.Primal);
    Primal.Axes[Of.On].UnderGradient = Of.Sum;
    In.Store.put(Of.Primal, std::move(Primal));
  }
}

} // namespace spmd::rules::inference
