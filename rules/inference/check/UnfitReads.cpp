//===- UnfitReads.cpp - Values that no rank has all of --------------------===//

#include "UnfitReads.h"

namespace spmd::rules::inference {

void UnfitReads::run(const ReadAtVaryingOffset &Seen) {
  const auto &[Value, A, At, Op] = Seen;
  if (!PartialReads.insert({Store.cellOf(Value.Slot), A}).second)
    return;
  Violation V = Report.violation(
      PartialProduct{PartialProduct::Alone::PartialAtVaryingOffset}, At, A, Op);
  V.Cause = nullptr; // what it is a part of must be reduced
  V.Operands.push_back(Report.operandOf(Value, Store.read(Value.Slot).Axes[A]));
  V.Operands.back().IsOwnPart = true;
  Report.report(std::move(V));
}

void UnfitReads::run(const ReadModifiedDivergently &Seen) {
  const auto &[Value, A, At, Op] = Seen;
  if (!ModifiedReads.insert({Store.cellOf(Value.Slot), A}).second)
    return;
  const AxisState &Is = Store.read(Value.Slot).Axes[A];
  FindingDetail What =
      PartialProduct{PartialProduct::Alone::ModifiedDivergently};
  if (Is.Before == DivergedFrom::Invariant)
    What = InvariantMix{/*ModifiedDivergently=*/true};
  Violation V = Report.violation(std::move(What), At, A, Op);
  V.Cause = nullptr; // a collective before the branch would be one repair
  V.Operands.push_back(Report.operandOf(Value, Is));
  if (Is.Set != TypeSet(LocalType::V) || !Is.May.empty())
    V.Unsure = OnlyLegal{{Is.Set - LocalType::V, std::nullopt}};
  Report.report(std::move(V));
}

void UnfitReads::run(const ReadUnlikePromise &Seen) {
  const auto &[Value, A, At, Op] = Seen;
  if (!UnlikeReads.insert({Store.cellOf(Value.Slot), A}).second)
    return;
  const AbstractValue &Now = Store.read(Value.Slot);
  ContractClash Clash;
  Clash.On = Annotated::Read;
  Clash.Required = {LocalType::R | LocalType::I, std::nullopt};
  Clash.Declared = {Now.Promise->In, Now.Promise->At};
  Violation V = Report.violation(std::move(Clash), At, A, Op);
  V.Operands.push_back(Report.operandOf(Value, Now.Axes[A]));
  Report.report(std::move(V));
}

void UnfitReads::run(const ReadUnwritten &Seen) {
  const auto &[Value, A, At, Op] = Seen;
  const CellId Whole = Store.wholesOf(Store.cellOf(Value.Slot)).back();
  if (!UnwrittenReads.insert(Whole).second)
    return;
  ContractClash Clash;
  Clash.On = Annotated::Read;
  Clash.Required = {TypeSet::all(), std::nullopt};
  AxisState Nothing;
  Nothing.Set = TypeSet::none();
  Violation V = Report.violation(std::move(Clash), At, A, Op);
  V.Operands.push_back(Report.operandOf(Value, Nothing));
  V.Operands.back().From = {&In.F, Value.At, Origin::Kind::None, {}};
  Report.report(std::move(V));
}

void UnfitReads::run(const ReadBeforeWritten &Seen) {
  const auto &[Value, A, At, Op] = Seen;
  const CellId Whole = Store.wholesOf(Store.cellOf(Value.Slot)).back();
  if (!UnwrittenReads.insert(Whole).second)
    return;
  ContractClash Clash;
  Clash.On = Annotated::Unwritten;
  Violation V = Report.violation(std::move(Clash), At, A, Op);
  V.Cause = nullptr; // nobody knows what belongs there
  V.Operands.push_back(Report.operandOf(Value, AxisState()));
  Report.report(std::move(V));
}

void UnfitReads::run(const PutBackUnread &Seen) {
  ContractClash Clash;
  Clash.On = Annotated::PutBack;
  Violation V = Report.violation(std::move(Clash), Seen.B.At, Seen.A,
                                 F.slot(Seen.B.Dst).Name);
  V.Cause = nullptr;
  V.Operands.push_back(
      Report.operandOf({Seen.Gathered, Seen.B.At}, AxisState()));
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
