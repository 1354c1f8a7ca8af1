//===- Contracts.cpp - Values that contradict annotations -----------------===//

#include "Contracts.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

ContractClash Contracts::clashOf(const Requirement &Why) {
  ContractClash Out;
  Out.On = Why.On;
  return Out;
}

void Contracts::run(const Unmet &Seen) {
  const auto &[Value, Was, Before, Required, Why, At, A] = Seen;
  ContractClash Clash = clashOf(Why);
  Clash.Required = Required[A].type();
  Clash.Declared = {Why.DeclaredIn, Why.DeclaredAt};
  if (Why.There)
    Clash.There = Why.There->Map.print(Why.There->Types, A);
  Violation V = Report.violation(std::move(Clash), At, A, Why.Subject);
  V.Operands.push_back(Report.operandOf(Value, Was));
  V.Operands.back().IsOwnPart =
      (Store.read(Value.Slot).PartialAtVaryingOffset & 1u << A) != 0;
  if (Why.Spec && Before.Spec) {
    auto Layouts = Report.layouts();
    Layouts->Of.push_back(Report.layoutOf(Before.Spec.get(), Before.Axes));
    Layouts->Wanted = Report.layoutOf(Why.Spec.get(), Required);
    V.Layouts = std::move(Layouts);
  }
  Report.report(std::move(V));
  Report.Excused.insert(Store.cellOf(Value.Slot));
}

void Contracts::run(const DoubtfullyMet &Seen) {
  if (!Report.isStrict())
    return;
  Violation V =
      Report.violation(clashOf(Seen.Why), Seen.At, Seen.A, Seen.Why.Subject);
  V.Unsure = OnlyLegal{{Seen.Wanted, std::nullopt}};
  V.Operands.push_back(Report.operandOf(Seen.Value, Seen.Was));
  Report.report(std::move(V));
}

void Contracts::run(const UnmetSpec &Seen) {
  const auto &[Value, Now, How, Required, Why, At] = Seen;
  if (Report.Excused.contains(Store.cellOf(Value.Slot)))
    return;
  ContractClash Clash = clashOf(Why);
  Clash.Declared = {Why.DeclaredIn, Why.DeclaredAt};
  Clash.Spec = {How, printSpec(*Why.Spec, Decls.Sizes)};
  if (Why.There && Why.There->Spec)
    Clash.There = printSpec(*Why.There->Spec, Decls.Sizes);
  Violation V =
      Report.violation(std::move(Clash), At,
                       axisOfClash(*Now.Spec, *Why.Spec, How), Why.Subject);
  V.Operands.push_back(Report.operandOf(Value, AxisState()));
  V.Operands.back().Spec = printSpec(*Now.Spec, Decls.Sizes);
  V.Operands.back().From = Decls.originOf(Now);
  auto Layouts = Report.layouts();
  Layouts->Of.push_back(Report.layoutOf(Now.Spec.get(), Now.Axes));
  Layouts->Wanted = Report.layoutOf(Why.Spec.get(), Required);
  V.Layouts = std::move(Layouts);
  Report.report(std::move(V));
}

/// An axis on which two specs differ; the first global one when only sizes do.
AxisId Contracts::axisOfClash(const PartitionSpec &Has,
                              const PartitionSpec &Wanted,
                              const SpecClash &Clash) const {
  if (Clash.K == SpecClash::Kind::Axes || Clash.K == SpecClash::Kind::Order)
    for (const auto &[X, Y] : {std::pair(&Has, &Wanted), {&Wanted, &Has}})
      for (AxisId A : X->Dims[Clash.Dim].Axes)
        if (Clash.K == SpecClash::Kind::Order ||
            !llvm::is_contained(Y->Dims[Clash.Dim].Axes, A))
          return A;
  return Decls.Global.front();
}

void Contracts::run(const Asked &Seen) {
  const auto &[Value, Before, Why, At] = Seen;
  if (!Report.isStrict() || !Why.There ||
      Report.Excused.contains(Store.cellOf(Value.Slot)))
    return;
  const bool NoSpec = Before.Spec && Why.There->Spec && !Why.Spec;
  const std::string Lost =
      NoSpec ? Why.There->NoSpec
             : Why.There->Map.lost(Why.There->Types, Before.Axes);
  if (Lost.empty())
    return;
  ContractClash Clash = clashOf(Why);
  if (NoSpec)
    Clash.There = printSpec(*Why.There->Spec, Decls.Sizes);
  Violation V = Report.violation(std::move(Clash), At, 0, Why.Subject);
  V.Unsure = NoCommonForm{Lost};
  V.Operands.push_back(Report.operandOf(Value, AxisState()));
  if (NoSpec)
    V.Operands.back().Spec = printSpec(*Before.Spec, Decls.Sizes);
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
