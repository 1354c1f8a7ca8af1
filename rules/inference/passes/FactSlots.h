//===- FactSlots.h - The slots that a fact mentions -------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_FACTSLOTS_H
#define SPMD_INFERENCE_PASSES_FACTSLOTS_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// Calls \p Fn with every slot that a fact mentions.
template <typename Callback> struct SlotVisitor {
  Callback Fn;
  void slot(SlotId S) {
    if (S != SlotId::None)
      Fn(S);
  }
  void operator()(const DefineFact &X) { slot(X.Dst), slot(X.Axis); }
  void operator()(const BindFact &X) { slot(X.Dst), slot(X.Src.Slot); }
  void operator()(const ViewFact &X) {
    slot(X.Dst), slot(X.Src.Slot), slot(X.Offset.Slot);
  }
  void operator()(const OpFact &X) {
    slot(X.Dst), slot(X.WritesTo);
    for (const Operand &O : X.Operands)
      slot(O.Slot);
  }
  void operator()(const TransferFact &X) {
    slot(X.Dst), slot(X.Src.Slot), slot(X.Out.Slot), slot(X.Axis.Slot);
  }
  void operator()(const AssertFact &X) { slot(X.Value.Slot); }
  void operator()(const CallFact &X) {
    slot(X.Dst), slot(X.Receiver.Slot);
    for (const Operand &O : X.Arguments)
      slot(O.Slot);
  }
  void operator()(const GradientFact &X) { slot(X.Dst), slot(X.Src.Slot); }
  void operator()(const BackwardFact &X) { slot(X.Loss.Slot); }
  void operator()(const HavocFact &X) { slot(X.Slot); }
  void operator()(const ReturnFact &X) { slot(X.Value.Slot); }
};
template <typename Callback> SlotVisitor(Callback) -> SlotVisitor<Callback>;

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_FACTSLOTS_H
