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
    return Report.operandOf(O, I, Store.read(O.Operands[I].Slot), A);
  }
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_CHECK_H
