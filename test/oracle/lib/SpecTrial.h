//===- SpecTrial.h - One call on operands of one size -----------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_SPECTRIAL_H
#define SPMD_ORACLE_LIB_SPECTRIAL_H

#include "spmd/oracle/SpecGradients.h"

#include "spmd/ops/FactorRule.h"

#include <map>

namespace spmd::oracle {

/// What became of one assignment.
struct Outcome {
  enum Kind { Nothing, Accepted, Wrong, Rejected, Undecided } K = Nothing;
  std::string Why =
      {};             ///< Wrong: what differs; Rejected: the kind of violation
  bool Right = false; ///< Rejected: some spec of the result is right
};

/// One call with operands of one size on one mesh.
class SpecTrial {
public:
  SpecTrial(const SpecScenario &X, const std::vector<Shape> &Sizes,
            const DeviceMesh &M);

  /// \p Call is X's, or asks for sizes.
  Outcome run(const SpecCall &Call,
              llvm::ArrayRef<const planner::Layout *> Given,
              llvm::ArrayRef<rules::AxisId> OutPartial);
  /// Whether the call as it stands can be run.
  bool isCall() { return !X.AsksForSizes && whole(X.Call, {}); }
  /// How many gradients of operands were run.
  std::uint64_t gradients() const { return Gradients.count(); }

private:
  /// On each axis, what the erased program makes: V, P or R.
  using ResultTypes = llvm::SmallVector<rules::LocalType, 2>;

  std::optional<ResultTypes>
  localTypes(const SpecCall &Call,
             llvm::ArrayRef<rules::AxisId> OutPartial) const;
  const std::vector<MaybeTensor> &locals(const SpecCall &Call);
  const MaybeTensor &whole(const SpecCall &Call, const planner::Layout &L);
  bool hasDimsOfShards(const SpecCall &Call, rules::AxisId A) const;
  ShardCounts countsOf(const planner::Layout &L) const;
  Outcome accepted(const SpecCall &Call, const rules::Propagation &P,
                   const ResultTypes &Types);
  /// A layout of the result with these types that is right, if there is one.
  std::optional<std::string> rightLayout(const SpecCall &Call,
                                         const ResultTypes &Types);
  /// The rule says nothing about the dims of the result.
  Outcome anyResult(const SpecCall &Call, const ResultTypes &Types);
  Outcome rejected(const SpecCall &Call, const rules::SpecViolation &V,
                   const ResultTypes &Types);

  const SpecScenario &X;
  const DeviceMesh &M;
  const std::vector<Shape> &Sizes;
  std::vector<Tensor> Operands;
  rules::AxisTable Axes;
  llvm::ArrayRef<const planner::Layout *> Layouts;
  std::vector<Ranks> Shards; ///< by operand
  std::vector<MaybeTensor> Local;
  std::map<std::string, MaybeTensor> Wholes;
  SpecGradients Gradients;
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_SPECTRIAL_H
