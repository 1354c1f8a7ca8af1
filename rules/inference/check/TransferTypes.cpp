//===- TransferTypes.cpp - Types that a collective takes and gives --------===//

#include "TransferTypes.h"

namespace spmd::rules::inference {

DeclaredTransfer TransferTypes::declaredBy(const TransferFact &T) const {
  return {T.From, T.To, T.From ? Site{&F, T.FromAt} : Site()};
}

static AxisType legalFor(const TransferFact &T, TypeSet Types) {
  return {Types, T.From ? T.From->ShardDim : std::nullopt};
}

void TransferTypes::report(const TransferFact &T, FindingDetail What, AxisId A,
                           const AxisState &Was) {
  Violation V = Report.violation(std::move(What), T.At, A, transferName(T.K));
  V.Operands.push_back(Report.operandOf(T.Src, Was));
  Report.report(std::move(V));
}

void TransferTypes::run(const IllegalSource &Seen) {
  const auto &[T, A, Was, Legal, Of] = Seen;
  SrcType Found{legalFor(T, Legal), declaredBy(T), {}, Of};
  const AbstractValue &C = Store.read(T.Src.Slot);
  for (AxisId Other = 0; Other != C.Axes.size(); ++Other)
    if (Other != A && !C.Axes[Other].Set.isAll() &&
        C.Axes[Other].Set.subsetOf(Legal))
      Found.TypedElsewhere.push_back(E.universe().name(Other));
  report(T, std::move(Found), A, Was);
}

void TransferTypes::run(const NoTransition &Seen) {
  report(Seen.T,
         WrongTransition{legalFor(Seen.T, Seen.Legal), declaredBy(Seen.T),
                         Seen.NeedsExpert},
         Seen.A, Seen.Was);
}

void TransferTypes::run(const ReducedOtherwise &Seen) {
  using Place = PartialNonlinear::Place;
  report(Seen.T,
         PartialNonlinear{Seen.OfShares ? Place::Share : Place::Reduction},
         Seen.A, Seen.Was);
}

void TransferTypes::run(const TermEntersNonlinear &Seen) {
  Violation V =
      Report.violation(PartialNonlinear{PartialNonlinear::Place::Term},
                       Seen.O.At, Seen.A, Seen.O.Rule->Name);
  V.Operands.push_back(Report.operandOf(Seen.Term, Seen.Was));
  Report.report(std::move(V));
}

void TransferTypes::run(const TakesExtreme &Seen) {
  Violation V = Report.violation(PartialNonlinear{Seen.As}, Seen.O.At, Seen.A,
                                 Seen.O.Rule->Name);
  V.Operands.push_back(Report.operandOf(Seen.Value, Seen.Was));
  Report.report(std::move(V));
}

void TransferTypes::run(const DoubtfulSource &Seen) {
  if (!Report.isStrict())
    return;
  Violation V =
      Report.violation(SrcType(), Seen.T.At, Seen.A, transferName(Seen.T.K));
  V.Unsure = OnlyLegal{{Seen.Legal, std::nullopt}};
  V.Operands.push_back(Report.operandOf(Seen.T.Src, Seen.Was));
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
