//===- SpecGradients.h - Gradients of a call on the ranks -------*- C++ -*-===//
//
// docs/oracle.md: each rank takes its cotangent back through what it ran. What
// it gets for an operand is of the operand's layout, a part of a sum where the
// operand is the same, the same where that is a pending sum; and together it is
// the gradient of the whole.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_SPECGRADIENTS_H
#define SPMD_ORACLE_SPECGRADIENTS_H

#include "spmd/oracle/SpecScenario.h"

namespace spmd::oracle {

class SpecGradients {
public:
  SpecGradients(const SpecScenario &X, const DeviceMesh &M,
                const std::vector<Tensor> &Operands)
      : X(X), M(M), Operands(Operands) {}

  /// What was run, and is right: by operand, its layout and what ranks have of
  /// it; what they make, and have to.
  struct Forward {
    const SpecCall &Call;
    llvm::ArrayRef<const planner::Layout *> Layouts;
    llvm::ArrayRef<Ranks> Shards;
    const Ranks &Made;
    const Tensor &Whole;
    const planner::Layout &Layout;
    const ShardCounts *Counts; ///< for the whole, when it asks for sizes
  };
  /// Of some elements of each operand in which the call is a polynomial. What
  /// is wrong, if something is.
  std::string check(const Forward &F);
  std::uint64_t count() const { return Count; }

private:
  /// In operand \p I along any direction; nothing when it is none, or too high.
  std::optional<unsigned> degree(const Forward &F, unsigned I);
  bool isRight(const Forward &F, const Tensor &Cotangent,
               const Ranks &Cotangents, unsigned I, std::size_t Element,
               unsigned Degree) const;

  const SpecScenario &X;
  const DeviceMesh &M;
  const std::vector<Tensor> &Operands;
  std::vector<std::optional<std::optional<unsigned>>> Degrees;
  std::mt19937 Random{3};
  std::uint64_t Count = 0;
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SPECGRADIENTS_H
