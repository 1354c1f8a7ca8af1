//===- OpFindings.h - Operands that an op must not have ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_OPFINDINGS_H
#define SPMD_INFERENCE_CHECK_OPFINDINGS_H

#include "body/Body.h"
#include "passes/SumTerms.h"

namespace spmd::rules::inference {

class OpFindings {
public:
  explicit OpFindings(Body &In) : In(In) {}

  /// Nothing legal is left of \p Sets.
  void illegal(const OpFact &O, AxisId A, const RuleResult &R,
               llvm::ArrayRef<TypeSet> Sets);
  /// What is added to each rank's term of a sum is in it once per rank.
  void addedToTerms(const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Sets,
                    const OperandList &Replicas, const TransferFact *By);
  /// Strict: on some path the operands are types that are illegal together, or
  /// one has none that is known and meets one that has.
  void mayBeIllegal(const OpFact &O, AxisId A, const RuleResult &R,
                    llvm::ArrayRef<const AbstractValue *> Cells);
  /// The result has no partition spec.
  void noSpec(const OpFact &O, SpecViolation Found,
              llvm::ArrayRef<const PartitionSpec *> Specs);
  void undecidedSpec(const OpFact &O, const Undecided &On,
                     llvm::ArrayRef<const PartitionSpec *> Specs);
  /// The loss \p B is of a type of which no backward pass is right.
  void illegalLoss(const BackwardFact &B, AxisId A, const AxisState &Is,
                   TypeSet Legal);

private:
  ViolationOperand operandOf(const OpFact &O, std::size_t I, AxisId A);
  void mayBeIllegalAs(const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Case,
                      const RuleResult &R,
                      llvm::ArrayRef<const AbstractValue *> Cells);
  llvm::BitVector givenPending(AxisId A) const;

  Body &In;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;
  llvm::DenseSet<AxisId> Told; ///< of a pending sum that the caller passed
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_OPFINDINGS_H
