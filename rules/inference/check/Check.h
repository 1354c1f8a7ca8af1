//===- Check.h - What checks know -------------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_CHECK_H
#define SPMD_INFERENCE_CHECK_CHECK_H

#include "transfer/Observations.h"

namespace spmd::rules::inference {

/// A check hears what transfers come upon once the states of a body have
/// settled, and decides what of it is a finding.
struct Check {
  explicit Check(Body &In) : In(In) {}

  Body &In;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;

protected:
  /// Operand \p I of \p O, which is seen on \p A.
  ViolationOperand operandOf(const OpFact &O, std::size_t I, AxisId A) const {
    const Operand &X = O.Operands[I];
    ViolationOperand Out = Report.operandOf(X, Store.read(X.Slot).Axes[A]);
    Out.Written = O.writesOperand(static_cast<unsigned>(I));
    Out.IsGradient |= Store.read(X.Slot).IsGradient;
    // No expression names what an optimizer reads.
    if (X.At == PlaceId::None && Out.Name.empty() && Out.IsGradient)
      Out.Name = "the gradients";
    return Out;
  }
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_CHECK_H
