//===- TransferFindings.cpp - Operands of collectives ---------------------===//

#include "TransferFindings.h"

namespace spmd::rules::inference {

void TransferFindings::illegal(const TransferFact &T, ViolationKind K, AxisId A,
                               const AxisState &Was, TypeSet Required) {
  if (!Report.isOn())
    return;
  Violation V = Report.violation(K, T.At, A, transferName(T.K));
  V.Operands.push_back(Report.operandOf(T.Src, Was));
  V.Required.Set = Required;
  if (T.From) {
    V.Required.ShardDim = T.From->ShardDim;
    V.RequiredAt = T.FromAt;
    V.RequiredIn = &F;
  }
  V.From = T.From;
  V.To = T.To;
  if (K == ViolationKind::SrcType) {
    const AbstractValue &C = Store.read(T.Src.Slot);
    for (AxisId Other = 0; Other != C.Axes.size(); ++Other)
      if (Other != A && !C.Axes[Other].Set.isAll() &&
          C.Axes[Other].Set.subsetOf(Required))
        V.TypedElsewhere.push_back(E.universe().name(Other));
  }
  Report.report(std::move(V));
}

void TransferFindings::mayBeIllegal(const TransferFact &T, AxisId A,
                                    const AxisState &Was, TypeSet Left) {
  if (!Report.isStrict())
    return;
  Violation V =
      Report.violation(ViolationKind::SrcType, T.At, A, transferName(T.K));
  V.Possible = true;
  V.Operands.push_back(Report.operandOf(T.Src, Was));
  V.Required.Set = Left;
  Report.report(std::move(V));
}

void TransferFindings::illegalSpec(const TransferFact &T,
                                   const AbstractValue &Src,
                                   llvm::ArrayRef<AxisId> Span,
                                   SpecFinding::Comm Why,
                                   std::optional<unsigned> Dim) {
  if (!Report.isOn())
    return;
  Violation V = Report.violation(Why == SpecFinding::Comm::NotLast
                                     ? ViolationKind::ShardOrder
                                     : ViolationKind::ShardPropagation,
                                 T.At, Span.front(), transferName(T.K));
  V.Operands.push_back(Report.operandOf(T.Src, Src.Axes[Span.front()]));
  V.Operands.back().From = Decls.originOf(Src);
  V.Operands.back().Spec = printSpec(*Src.Spec, Decls.Sizes);
  V.From = T.From;
  V.To = T.To;
  V.Spec = Report.specFinding();
  V.Spec->Layouts.push_back(Report.layoutOf(Src.Spec.get(), Src.Axes));
  V.Spec->Transfer = Why;
  V.Spec->Dim = Dim;
  V.Spec->Axes = Decls.Sizes.print(Span);
  if (Dim)
    V.Spec->AxesOfDim = Decls.Sizes.print(Src.Spec->Dims[*Dim].Axes);
  Report.report(std::move(V));
}

void TransferFindings::redundant() {
  if (!Report.isOn() || !E.options().FindRedundant)
    return;
  for (const Redundancy &R : RedundantTransfers(F, Sound).find()) {
    const TransferFact &First = *R.Transfers.front();
    const SoundTransfer &Noted = Sound.find(&First)->second;
    Violation V = Report.violation(ViolationKind::Redundant, First.At,
                                   Noted.Axis, transferName(First.K));
    V.Cause = nullptr; // the chain says it
    V.Operands.push_back(Report.operandOf(First.Src, Noted.Was));
    V.From = First.From;
    V.To = R.Transfers.back()->To;
    V.Chain.assign(R.Transfers.begin(), R.Transfers.end());
    V.Instead = R.Instead;
    Report.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
