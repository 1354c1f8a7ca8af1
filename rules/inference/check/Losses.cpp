//===- Losses.cpp - What backward() begins with ---------------------------===//

#include "Losses.h"

namespace spmd::rules::inference {

void Losses::run(const IllegalLoss &Seen) {
  const auto &[B, A, Is, Legal] = Seen;
  Violation V = Report.violation(LossType{Legal}, B.At, A, "backward");
  V.Operands.push_back(Report.operandOf(B.Loss, Is));
  if (Is.Set.contains(LocalType::V))
    E.reportUnlessReduced(std::move(V), A);
  else
    Report.report(std::move(V));
}

} // namespace spmd::rules::inference
