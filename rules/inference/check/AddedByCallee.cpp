//===- AddedByCallee.cpp - A callee adds replicas to terms ----------------===//

#include "AddedByCallee.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// \p X with the arguments of \p Call for its operands; null where one is
/// missing.
static std::optional<OpFact> inCaller(const AddingOp &X, const CallFact &Call) {
  const auto Given = [&](unsigned Parameter) {
    return Parameter < Call.Arguments.size() ? Call.Arguments[Parameter]
                                             : Operand();
  };
  OpFact Out = *X.Op;
  Out.At = Call.At;
  Out.Dst = SlotId::None;
  Out.WritesTo = Given(X.Into).Slot;
  bool Complete = Out.WritesTo != SlotId::None;
  for (std::size_t I = 0; I != Out.Operands.size(); ++I) {
    Out.Operands[I].Slot = Given(X.Parameters[I]).Slot;
    Out.Operands[I].At = Given(X.Parameters[I]).At;
    Complete &= Out.Operands[I].Slot != SlotId::None;
  }
  return Complete ? std::optional(std::move(Out)) : std::nullopt;
}

void AddedByCallee::check(const CallFact &Call) {
  const Function *Target = In.E.find(Call.Callee);
  if (!In.Report.isOn() || !Target || Target->Blocks.empty())
    return;
  // Its types are of other axes.
  if (In.E.namesAxes(*Target) &&
      In.E.meshMap(In.Decls.mesh(), In.Decls.meshOf(*Target)))
    return;
  const AddingOps &Adding = In.E.factsOf(*Target).Adding;
  for (const AddingOp &X : Adding.All)
    if (const std::optional<OpFact> Here = inCaller(X, Call))
      check(*Here, summedBy(In.F, Call, Here->WritesTo));
  if (Adding.CutAt)
    In.E.giveUp({Target, Adding.CutAt->At, Limit::AddingOps});
}

void AddedByCallee::check(const OpFact &O, const SummedTerms::SumList &Sums) {
  for (AxisId A = 0; !Sums.empty() && A != In.E.universe().size(); ++A) {
    llvm::SmallVector<TypeSet, 4> Sets;
    for (const Operand &X : O.Operands) {
      const AbstractValue &C = In.Store.read(X.Slot);
      Sets.push_back(C.Undefined ? TypeSet::all() : C.Axes[A].Set);
    }
    const TransferFact *By = nullptr;
    const OperandList Replicas = Terms.addedToTerms(O, A, Sets, Sums, By);
    if (!Replicas.empty())
      Findings.addedToTerms(O, A, Sets, Replicas, By);
  }
}

} // namespace spmd::rules::inference
