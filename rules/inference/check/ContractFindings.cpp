//===- ContractFindings.cpp - Values that contradict annotations ----------===//

#include "ContractFindings.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

Violation ContractFindings::contract(const Requirement &Why, PlaceId At,
                                     AxisId A) const {
  Violation V = Report.violation(ViolationKind::Contract, At, A, Why.Subject);
  V.On = Why.On;
  return V;
}

void ContractFindings::clash(Operand Value, const AxisState &Was,
                             const AbstractValue &Before,
                             llvm::ArrayRef<AxisState> Required,
                             const Requirement &Why, PlaceId At, AxisId A) {
  if (!Report.isOn())
    return;
  Violation V = contract(Why, At, A);
  V.Operands.push_back(Report.operandOf(Value, Was));
  V.Required = Required[A].type();
  V.RequiredAt = Why.DeclaredAt;
  V.RequiredIn = Why.DeclaredIn;
  if (Why.There)
    V.RequiredThere = Why.There->Map.print(Why.There->Types, A);
  if (Why.Spec && Before.Spec) {
    V.Layout = Report.specFinding();
    V.Layout->Layouts.push_back(
        Report.layoutOf(Before.Spec.get(), Before.Axes));
    V.Layout->Wanted = Report.layoutOf(Why.Spec.get(), Required);
  }
  Report.report(std::move(V));
}

void ContractFindings::mayClash(Operand Value, const AxisState &Was,
                                TypeSet Wanted, const Requirement &Why,
                                PlaceId At, AxisId A) {
  if (!Report.isStrict())
    return;
  Violation V = contract(Why, At, A);
  V.Possible = true;
  V.Operands.push_back(Report.operandOf(Value, Was));
  V.Required.Set = Wanted;
  Report.report(std::move(V));
}

void ContractFindings::specClash(Operand Value, const AbstractValue &Now,
                                 const SpecClash &How,
                                 llvm::ArrayRef<AxisState> Required,
                                 const Requirement &Why, PlaceId At) {
  if (!Report.isOn())
    return;
  Violation V = contract(Why, At, axisOfClash(*Now.Spec, *Why.Spec, How));
  V.Operands.push_back(Report.operandOf(Value, AxisState()));
  V.Operands.back().Spec = printSpec(*Now.Spec, Decls.Sizes);
  V.Operands.back().From = Decls.originOf(Now);
  V.RequiredAt = Why.DeclaredAt;
  V.RequiredIn = Why.DeclaredIn;
  V.Spec = Report.specFinding();
  V.Spec->Clash = How;
  V.Spec->Required = printSpec(*Why.Spec, Decls.Sizes);
  if (Why.There && Why.There->Spec)
    V.RequiredThere = printSpec(*Why.There->Spec, Decls.Sizes);
  V.Spec->Layouts.push_back(Report.layoutOf(Now.Spec.get(), Now.Axes));
  V.Spec->Wanted = Report.layoutOf(Why.Spec.get(), Required);
  Report.report(std::move(V));
}

/// An axis on which two specs differ; the first global one when only sizes do.
AxisId ContractFindings::axisOfClash(const PartitionSpec &Has,
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

void ContractFindings::noForm(Operand Value, const AbstractValue &Before,
                              const Requirement &Why, PlaceId At) {
  if (!Report.isStrict() || !Why.There ||
      Report.Excused.contains(Store.cellOf(Value.Slot)))
    return;
  const bool NoSpec = Before.Spec && Why.There->Spec && !Why.Spec;
  const std::string Lost =
      NoSpec ? Why.There->NoSpec
             : Why.There->Map.lost(Why.There->Types, Before.Axes);
  if (Lost.empty())
    return;
  Violation V = contract(Why, At, 0);
  V.Possible = true;
  V.Operands.push_back(Report.operandOf(Value, AxisState()));
  if (NoSpec) {
    V.Operands.back().Spec = printSpec(*Before.Spec, Decls.Sizes);
    V.RequiredThere = printSpec(*Why.There->Spec, Decls.Sizes);
  }
  V.NoForm = Lost;
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
