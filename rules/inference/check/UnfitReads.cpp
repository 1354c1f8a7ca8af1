//===- UnfitReads.cpp - Values that no rank has all of --------------------===//

#include "UnfitReads.h"

namespace spmd::rules::inference {

bool UnfitReads::ofPartialAtVaryingOffset(const Operand &Value, AxisId A,
                                          PlaceId At, llvm::StringRef Op) {
  const CellId Id = Store.cellOf(Value.Slot);
  const AbstractValue &C = *Store.contents(Id);
  if (C.Undefined || !(C.PartialAtVaryingOffset & 1u << A) ||
      C.Axes[A].Set != TypeSet(LocalType::P))
    return false;
  if (Report.isOn() && PartialReads.insert({Id, A}).second) {
    Violation V = Report.violation(
        PartialProduct{PartialProduct::Alone::PartialAtVaryingOffset}, At, A,
        Op);
    V.Cause = nullptr; // what it is a part of must be reduced
    V.Operands.push_back(Report.operandOf(Value, C.Axes[A]));
    Report.report(std::move(V));
  }
  return true;
}

bool UnfitReads::ofModifiedDivergently(const Operand &Value, AxisId A,
                                       bool Gradient, PlaceId At,
                                       llvm::StringRef Op) {
  const CellId Id = Store.cellOf(Value.Slot);
  const AbstractValue &C = *Store.contents(Id);
  const AxisState &Is = C.Axes[A];
  const bool Sure = Is.Set == TypeSet(LocalType::V) && Is.May.empty();
  if (C.Undefined || !(C.ModifiedDivergently & 1u << A) ||
      !(Sure || E.options().Strict))
    return false;
  const bool WasInvariant = Is.Before == DivergedFrom::Invariant;
  if (WasInvariant && !Gradient)
    return false;
  if (Report.isOn() && ModifiedReads.insert({Id, A}).second) {
    FindingDetail What =
        PartialProduct{PartialProduct::Alone::ModifiedDivergently};
    if (WasInvariant)
      What = InvariantMix{/*ModifiedDivergently=*/true};
    Violation V = Report.violation(std::move(What), At, A, Op);
    V.Cause = nullptr; // a collective before the branch would be one repair
    V.Operands.push_back(Report.operandOf(Value, Is));
    if (!Sure)
      V.Unsure = OnlyLegal{{Is.Set - LocalType::V, std::nullopt}};
    Report.report(std::move(V));
  }
  return true;
}

} // namespace spmd::rules::inference
