//===- TransferFindings.cpp - Operands of collectives ---------------------===//

#include "TransferFindings.h"

namespace spmd::rules::inference {

DeclaredTransfer TransferFindings::declaredBy(const TransferFact &T) const {
  return {T.From, T.To, T.From ? Site{&F, T.FromAt} : Site()};
}

static AxisType legalFor(const TransferFact &T, TypeSet Types) {
  return {Types, T.From ? T.From->ShardDim : std::nullopt};
}

void TransferFindings::report(const TransferFact &T, FindingDetail What,
                              AxisId A, const AxisState &Was) {
  if (!Report.isOn())
    return;
  Violation V = Report.violation(std::move(What), T.At, A, transferName(T.K));
  V.Operands.push_back(Report.operandOf(T.Src, Was));
  Report.report(std::move(V));
}

void TransferFindings::wrongSource(const TransferFact &T, AxisId A,
                                   const AxisState &Was, TypeSet Legal) {
  SrcType Found{legalFor(T, Legal), declaredBy(T), {}};
  const AbstractValue &C = Store.read(T.Src.Slot);
  for (AxisId Other = 0; Other != C.Axes.size(); ++Other)
    if (Other != A && !C.Axes[Other].Set.isAll() &&
        C.Axes[Other].Set.subsetOf(Legal))
      Found.TypedElsewhere.push_back(E.universe().name(Other));
  report(T, std::move(Found), A, Was);
}

void TransferFindings::wrongTransition(const TransferFact &T, AxisId A,
                                       const AxisState &Was, TypeSet Legal,
                                       bool NeedsExpert) {
  report(T, WrongTransition{legalFor(T, Legal), declaredBy(T), NeedsExpert}, A,
         Was);
}

void TransferFindings::notOfSum(const TransferFact &T, AxisId A,
                                const AxisState &Was) {
  report(T, PartialNonlinear{PartialNonlinear::Place::Reduction}, A, Was);
}

void TransferFindings::mayBeIllegal(const TransferFact &T, AxisId A,
                                    const AxisState &Was, TypeSet Left) {
  if (!Report.isStrict())
    return;
  Violation V = Report.violation(SrcType(), T.At, A, transferName(T.K));
  V.Unsure = OnlyLegal{{Left, std::nullopt}};
  V.Operands.push_back(Report.operandOf(T.Src, Was));
  Report.report(std::move(V));
}

void TransferFindings::illegalSpec(const TransferFact &T,
                                   const AbstractValue &Src,
                                   llvm::ArrayRef<AxisId> Span,
                                   WrongShardTransfer::Kind Why,
                                   std::optional<unsigned> Dim) {
  if (!Report.isOn())
    return;
  WrongShardTransfer Found{Why, Dim, Decls.Sizes.print(Span), ""};
  if (Dim)
    Found.AxesOfDim = Decls.Sizes.print(Src.Spec->Dims[*Dim].Axes);
  FindingDetail What = ShardPropagation{Found};
  if (Why == WrongShardTransfer::Kind::NotLast)
    What = ShardOrder{std::move(Found)};
  Violation V =
      Report.violation(std::move(What), T.At, Span.front(), transferName(T.K));
  V.Operands.push_back(Report.operandOf(T.Src, Src.Axes[Span.front()]));
  V.Operands.back().From = Decls.originOf(Src);
  V.Operands.back().Spec = printSpec(*Src.Spec, Decls.Sizes);
  auto Layouts = Report.layouts();
  Layouts->Of.push_back(Report.layoutOf(Src.Spec.get(), Src.Axes));
  V.Layouts = std::move(Layouts);
  Report.report(std::move(V));
}

void TransferFindings::redundant() {
  if (!Report.isOn() || !E.options().FindRedundant)
    return;
  for (const Redundancy &R : RedundantTransfers(F, Sound).find()) {
    const TransferFact &First = *R.Transfers.front();
    const SoundTransfer &Noted = Sound.find(&First)->second;
    RedundantChain Chain{{R.Transfers.begin(), R.Transfers.end()},
                         R.Instead,
                         *First.From,
                         *R.Transfers.back()->To};
    Violation V = Report.violation(std::move(Chain), First.At, Noted.Axis,
                                   transferName(First.K));
    V.Cause = nullptr; // the chain says it
    V.Operands.push_back(Report.operandOf(First.Src, Noted.Was));
    Report.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
