//===- LayoutTransfer.h - Partition specs of results ------------*- C++ -*-===//
//
// On the axes that are checked globally, values know how their shards
// reassemble; an op must give each rank its part of what it would make of the
// whole tensors, and a collective moves shards.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_TRANSFER_LAYOUTTRANSFER_H
#define SPMD_INFERENCE_TRANSFER_LAYOUTTRANSFER_H

#include "Observations.h"
#include "passes/OutPartials.h"

namespace spmd::rules::inference {

class LayoutTransfer {
public:
  explicit LayoutTransfer(Body &In) : In(In) {}

  /// The axes for which the facts after the op that is run wrap its result in
  /// out_partial.
  AxisList outPartialOfFact();

  /// The spec of \p Result, which \p O makes; null when nobody knows, or when
  /// it has none, which is told unless \p AlreadyWrong. What the result is
  /// on the axis that is wrong depends on how that is put right: nobody knows.
  SpecPtr specOfResult(const OpFact &O, bool AlreadyWrong,
                       AbstractValue &Result);
  /// Where \p Out has the dims of a tensor whose values the op does not read,
  /// it varies as that does.
  void varyAsSharded(const OpFact &O, AbstractValue &Out);
  /// Writing does not change the dims of a storage, through whichever view;
  /// ops that do say what they are then.
  void writeSpec(const OpFact &O, AbstractValue &Out);

  /// The spec of what \p T makes of \p Src; null when nobody knows.
  SpecPtr specAfter(const TransferFact &T, const AbstractValue &Src,
                    llvm::ArrayRef<AxisId> All, bool AlreadyWrong);

private:
  Extent sizeOf(const SizeTerm &T);
  SpecPtr localTransfer(const TransferFact &T, const PartitionSpec &Src,
                        llvm::ArrayRef<AxisId> Span) const;

  Body &In;
  const Declarations &Decls = In.Decls;
  const ProgramPoint &Point = In.Point;
  Storage &Store = In.Store;
  OutPartials Wrapped;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_LAYOUTTRANSFER_H
