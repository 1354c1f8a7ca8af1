//===- WrongShards.cpp - Shards that do not reassemble --------------------===//

#include "WrongShards.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void WrongShards::run(const NoResultSpec &Seen) {
  const auto &[O, Why, Specs] = Seen;
  const AxisId A = Why.Axis ? *Why.Axis : Decls.Global.front();
  Violation V = Report.violation(
      ShardPropagation{std::make_shared<const SpecViolation>(Why)}, O.At, A,
      O.Rule->Name);
  auto Layouts = Report.layouts();
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &X = Store.read(O.Operands[I].Slot);
    V.Operands.push_back(Report.operandOf(O.Operands[I], X.Axes[A]));
    V.Operands.back().From = Decls.originOf(X);
    V.Operands.back().Written = O.writesOperand(I);
    Layouts->Of.push_back(Report.layoutOf(Specs[I], X.Axes));
    if (Specs[I])
      V.Operands.back().Spec = printSpec(*Specs[I], Decls.Sizes);
  }
  V.Layouts = std::move(Layouts);
  Report.report(std::move(V));
}

void WrongShards::run(const UndecidedResultSpec &Seen) {
  const auto &[O, On, Specs] = Seen;
  const bool AnyShards = llvm::any_of(Specs, [](const PartitionSpec *S) {
    return S && llvm::any_of(S->Dims, [](const ShardedDim &D) {
             return !D.Axes.empty();
           });
  });
  if (!Report.isStrict() || !AnyShards)
    return;
  Violation V = Report.violation(ShardPropagation(), O.At, Decls.Global.front(),
                                 O.Rule->Name);
  V.Unsure = UndecidedShards{On.On};
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (Specs[I]) {
      V.Operands.push_back(Report.operandOf(O.Operands[I], AxisState()));
      V.Operands.back().Spec = printSpec(*Specs[I], Decls.Sizes);
    }
  Report.report(std::move(V));
}

void WrongShards::run(const IllegalShards &Seen) {
  const auto &[T, Src, Span, Why, Dim] = Seen;
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

} // namespace spmd::rules::inference
