//===- Reporter.h - Findings of one function --------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_REPORTER_H
#define SPMD_INFERENCE_BODY_REPORTER_H

#include "Declarations.h"
#include "domain/ProgramPoint.h"

#include <set>

namespace spmd::rules::inference {

/// What findings are made of, and what was found before.
class Reporter {
public:
  Reporter(Engine &E, const Function &F, const Declarations &Decls,
           const ProgramPoint &Point)
      : E(E), F(F), Decls(Decls), Point(Point) {}

  /// The states have settled: findings are wanted.
  bool isOn() const { return Point.Reporting; }
  /// And those of what may be wrong, too.
  bool isStrict() const { return Point.Reporting && E.options().Strict; }

  Violation violation(FindingDetail What, PlaceId At, AxisId A,
                      llvm::StringRef Op) const;
  ViolationOperand operandOf(const Operand &O, const AxisState &T) const;
  /// Operand \p I of \p O, which is \p Value, on \p A.
  ViolationOperand operandOf(const OpFact &O, std::size_t I,
                             const AbstractValue &Value, AxisId A) const;
  std::shared_ptr<OperandLayouts> layouts() const;
  static ValueLayout layoutOf(const PartitionSpec *Spec,
                              llvm::ArrayRef<AxisState> Types);
  void report(Violation V) { E.report(std::move(V)); }

  /// Cells of which a contradiction was reported.
  llvm::DenseSet<CellId> Excused;

private:
  Engine &E;
  const Function &F;
  const Declarations &Decls;
  const ProgramPoint &Point;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_REPORTER_H
