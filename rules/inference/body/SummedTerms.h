//===- SummedTerms.h - What is added to the terms of a sum ------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_SUMMEDTERMS_H
#define SPMD_INFERENCE_BODY_SUMMEDTERMS_H

#include "body/Body.h"
#include "passes/SumTerms.h"

namespace spmd::rules::inference {

class SummedTerms {
public:
  using SumList = ValueFlow::SumList;

  explicit SummedTerms(Body &In) : In(In) {}

  /// The operands of \p O that are the same on all ranks of \p A and are added
  /// to the terms of a sum over it: of one that \p IsTerm says there is, or of
  /// one that \p By then makes.
  OperandList addedToTerms(const OpFact &O, AxisId A,
                           llvm::ArrayRef<TypeSet> Sets, bool IsTerm,
                           const TransferFact *&By);
  /// The same where one of \p Sums makes it.
  OperandList addedToTerms(const OpFact &O, AxisId A,
                           llvm::ArrayRef<TypeSet> Sets, const SumList &Sums,
                           const TransferFact *&By);
  /// Whether a collective over \p A surely adds up what \p O makes, perhaps
  /// scaled.
  bool addsUp(const OpFact &O, AxisId A);
  /// What is added so by \p O, if it is, for sums of other functions.
  const AddedReplica *addedHere(const OpFact &O, AxisId A,
                                llvm::ArrayRef<TypeSet> Sets);
  /// The same, or an earlier sum that is in what \p O adds more terms to.
  const AddedReplica *addedSoFar(const OpFact &O, AxisId A,
                                 llvm::ArrayRef<TypeSet> Sets);
  /// That the sum, which \p By makes, has \p Replicas once per rank.
  Violation violation(const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Sets,
                      const OperandList &Replicas,
                      const TransferFact *By) const;
  /// Those that add up what \p Call leaves in \p Given.
  SumList summedBy(const CallFact &Call, SlotId Given) const;

private:
  /// The collectives that surely add up what \p O makes; what is scaled then
  /// too, if \p Scaled.
  const SumList &summedBy(const OpFact &O, bool Scaled);
  /// What operand \p I of \p O holds; an element to which a loop adds, what it
  /// held before that.
  const AbstractValue &held(const OpFact &O, std::size_t I) const;
  llvm::SmallVector<TypeSet, 4> heldBy(const OpFact &O, AxisId A,
                                       llvm::ArrayRef<TypeSet> Sets) const;
  const Function *calleeOf(const CallFact &Call) const;
  AxisList spanOf(SlotId Axis);
  bool mayBeShare(SlotId Slot);
  OperandList withoutShares(const OpFact &O, AxisId A, OperandList Replicas,
                            bool IsSaid);
  OperandList literalsOf(const OpFact &O, AxisId A,
                         llvm::ArrayRef<TypeSet> Sets);
  void noteDoubt(const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Sets);

  Body &In;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
  /// By op, with nothing that scales it then and with it: the collectives that
  /// add up what it makes.
  llvm::DenseMap<const OpFact *, SumList> Summers[2];
  llvm::DenseMap<std::uint32_t, bool> Shares; ///< by slot
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_SUMMEDTERMS_H
