//===- TransferFindings.h - Operands of collectives -------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_TRANSFERFINDINGS_H
#define SPMD_INFERENCE_CHECK_TRANSFERFINDINGS_H

#include "body/Body.h"
#include "passes/RedundantTransfers.h"

namespace spmd::rules::inference {

class TransferFindings {
public:
  explicit TransferFindings(Body &In) : In(In) {}

  /// \p T has an operand that is \p Was and must be of \p Legal.
  void wrongSource(const TransferFact &T, AxisId A, const AxisState &Was,
                   TypeSet Legal);
  /// What \p T declares is no row of the table, or one that \p NeedsExpert.
  void wrongTransition(const TransferFact &T, AxisId A, const AxisState &Was,
                       TypeSet Legal, bool NeedsExpert);
  /// \p T does not add, and its operand is a pending sum.
  void notOfSum(const TransferFact &T, AxisId A, const AxisState &Was);
  /// Strict: only some of what the operand may be, \p Left, is legal.
  void mayBeIllegal(const TransferFact &T, AxisId A, const AxisState &Was,
                    TypeSet Left);
  /// \p T moves shards otherwise than \p Src has them.
  void illegalSpec(const TransferFact &T, const AbstractValue &Src,
                   llvm::ArrayRef<AxisId> Span, WrongShardTransfer::Kind Why,
                   std::optional<unsigned> Dim);
  /// \p T is right on the axis \p A, where its operand is \p Was.
  void noteSound(const TransferFact &T, AxisId A, const AxisState &Was) {
    if (Report.isOn())
      Sound[&T] = {A, Was};
  }
  /// Those of the sound ones that fewer could replace.
  void redundant();

private:
  DeclaredTransfer declaredBy(const TransferFact &T) const;
  void report(const TransferFact &T, FindingDetail What, AxisId A,
              const AxisState &Was);

  Body &In;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;
  SoundMap Sound;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_TRANSFERFINDINGS_H
