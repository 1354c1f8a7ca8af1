//===- LostGradients.cpp - Updates that lose terms ------------------------===//

#include "LostGradients.h"

namespace spmd::rules::inference {

void LostGradients::run(const LosesTerms &Seen) {
  const auto &[O, A, Was, By, ByZeros, ForShard] = Seen;
  Violation V =
      Report.violation(LostGradient{ByZeros, ForShard}, O.At, A, O.Rule->Name);
  V.Operands.push_back(Report.operandOf(O.Operands[0], Was));
  V.Operands.push_back(Report.operandOf(O.Operands[1], By));
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
