//===- CollectiveTransfer.h - Collectives and conversions -------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_COLLECTIVETRANSFER_H
#define SPMD_INFERENCE_TRANSFER_COLLECTIVETRANSFER_H

#include "LayoutTransfer.h"
#include "Requirements.h"

namespace spmd::rules::inference {

class CollectiveTransfer {
public:
  CollectiveTransfer(Body &In, LayoutTransfer &Layouts, Requirements &Contracts)
      : In(In), Layouts(Layouts), Contracts(Contracts) {}

  void run(const TransferFact &T);

private:
  /// A collective that is run, and what becomes of it.
  struct Run {
    const TransferFact &T;
    const AbstractValue Src;
    const AxisList Span;
    const Origin *From;
    AbstractValue Out;
    bool WrongAxis = false, Found = false;
  };
  void beside(Run &Of, AxisId A, const AxisState &Was);
  void over(Run &Of, AxisId A, const AxisState &Was);
  bool takes(Run &Of, AxisId A, const AxisState &Was, TypeSet Sources);
  void redistribute(const TransferFact &T);
  void give(const TransferFact &T, AbstractValue Out);
  SrcType::Holds holds(const TransferFact &T, AxisId A, const AxisState &Was);
  bool isGradientOfOwn(const TransferFact &T, AxisId A);
  bool mayBeOfOtherElement(const TransferFact &T, const AxisState &Is) const;
  bool mayBeOfOtherPart(const TransferFact &T, const AbstractValue &Src,
                        const AxisState &Is) const;
  bool mayBeBarrier(const TransferFact &T, const AxisState &Was);

  Body &In;
  LayoutTransfer &Layouts;
  Requirements &Contracts;
  Engine &E = In.E;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  const ProgramPoint &Point = In.Point;
  Storage &Store = In.Store;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_COLLECTIVETRANSFER_H
