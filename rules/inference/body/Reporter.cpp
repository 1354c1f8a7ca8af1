//===- Reporter.cpp - Findings of one function ----------------------------===//

#include "Reporter.h"

namespace spmd::rules::inference {

Violation Reporter::violation(FindingDetail What, PlaceId At, AxisId A,
                              llvm::StringRef Op) const {
  Violation V;
  V.What = std::move(What);
  V.In = &F;
  V.At = At;
  V.Axis = E.universe().name(A);
  V.Cause = Point.Running;
  V.OnSomeRanks = Point.OnSomeRanks & 1u << A;
  V.Op = Op.str();
  return V;
}

ViolationOperand Reporter::operandOf(const Operand &O,
                                     const AxisState &T) const {
  ViolationOperand Out;
  Out.At = O.At;
  if (O.Slot != SlotId::None)
    Out.Name = F.slot(O.Slot).Name;
  Out.IsGradient = T.From && T.From->K == Origin::Kind::Gradient;
  Out.Type = T.type();
  if (T.From)
    Out.From = *T.From;
  return Out;
}

ViolationOperand Reporter::operandOf(const OpFact &O, std::size_t I,
                                     const AbstractValue &Value,
                                     AxisId A) const {
  const Operand &X = O.Operands[I];
  ViolationOperand Out = operandOf(X, Value.Axes[A]);
  Out.Written = O.writesOperand(static_cast<unsigned>(I));
  Out.IsGradient |= Value.IsGradient;
  Out.IsOwnPart = Value.PartialAtVaryingOffset & 1u << A;
  // No expression names what an optimizer reads.
  if (X.At == PlaceId::None && Out.Name.empty() && Out.IsGradient)
    Out.Name = "the gradients";
  return Out;
}

std::shared_ptr<OperandLayouts> Reporter::layouts() const {
  auto Out = std::make_shared<OperandLayouts>();
  Out->Mesh = Decls.Sizes;
  Out->Global.assign(Decls.Global.begin(), Decls.Global.end());
  return Out;
}

ValueLayout Reporter::layoutOf(const PartitionSpec *Spec,
                               llvm::ArrayRef<AxisState> Types) {
  ValueLayout Out;
  if (Spec)
    Out.Spec = *Spec;
  for (const AxisState &T : Types)
    Out.Types.push_back(T.type());
  return Out;
}

} // namespace spmd::rules::inference
