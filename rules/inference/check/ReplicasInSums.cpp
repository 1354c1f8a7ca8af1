//===- ReplicasInSums.cpp - Replicas added to terms of a sum --------------===//

#include "ReplicasInSums.h"

#include "spmd/ir/Walk.h"

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

void ReplicasInSums::run(const ReplicasAdded &Seen) {
  const auto &[O, A, Sets, Replicas, By] = Seen;
  if (By)
    Told.insert({By, A});
  Report.report(Terms.violation(O, A, Sets, Replicas, By));
}

void ReplicasInSums::run(const SumsAdded &Seen) {
  const auto &[T, A, Added] = Seen;
  E.noteSumOfReplicas(F, T, A);
  if (Told.contains({&T, A}))
    return;
  Violation V = Added.What;
  std::get<PartialAdd>(V.What).Summed = {&F, T.At};
  Report.report(std::move(V));
}

/// \p X with the parameters of a function that calls with \p Call, whose first
/// \p NumParameters slots they are, for those of the callee; nothing where it
/// gives something else.
static std::optional<AddingOp> handedOn(const AddingOp &X, const CallFact &Call,
                                        unsigned NumParameters) {
  const auto Own = [&](unsigned Parameter) {
    return Parameter < Call.Arguments.size()
               ? index(Call.Arguments[Parameter].Slot)
               : index(SlotId::None);
  };
  AddingOp Out = X;
  Out.Into = Own(X.Into);
  bool Fits = Out.Into < NumParameters;
  for (unsigned &Parameter : Out.Parameters) {
    Parameter = Own(Parameter);
    Fits &= Parameter < NumParameters;
  }
  return Fits ? std::optional(std::move(Out)) : std::nullopt;
}

/// What \p Target adds to what it is given, itself or by what it calls, as a
/// launcher does by its kernel.
const llvm::SmallVector<AddingOp, 2> &
ReplicasInSums::addingIn(const Function &Target, unsigned Depth) {
  if (const auto Known = AddingIn.find({&Target, Depth});
      Known != AddingIn.end())
    return Known->second;
  const AddingOps &Adding = E.factsOf(Target).Adding;
  if (Adding.CutAt)
    E.giveUp({&Target, Adding.CutAt->At, Limit::AddingOps});
  llvm::SmallVector<AddingOp, 2> Out(Adding.All.begin(), Adding.All.end());
  for (const CallFact &Call : factsOf<CallFact>(Target))
    if (const Function *Callee = Depth ? E.find(Call.Callee) : nullptr;
        Callee && !Callee->Blocks.empty() && !E.namesAxes(*Callee))
      for (const AddingOp &X : addingIn(*Callee, Depth - 1))
        if (auto Here = handedOn(X, Call, Target.NumParameters))
          Out.push_back(std::move(*Here));
  return AddingIn[{&Target, Depth}] = std::move(Out);
}

void ReplicasInSums::run(const Called &Seen) {
  constexpr unsigned MaxDepth = 3;
  const CallFact &Call = Seen.Call;
  const Function *Target = E.find(Call.Callee);
  if (!Target || Target->Blocks.empty())
    return;
  // Its types are of other axes.
  if (E.namesAxes(*Target) && E.meshMap(Decls.mesh(), Decls.meshOf(*Target)))
    return;
  for (const AddingOp &X : addingIn(*Target, MaxDepth))
    if (const std::optional<OpFact> Here = inCaller(X, Call))
      addedByCallee(*Here, Terms.summedBy(Call, Here->WritesTo));
}

void ReplicasInSums::addedByCallee(const OpFact &O,
                                   const SummedTerms::SumList &Sums) {
  for (AxisId A = 0; !Sums.empty() && A != E.universe().size(); ++A) {
    llvm::SmallVector<TypeSet, 4> Sets;
    for (const Operand &X : O.Operands) {
      const AbstractValue &C = Store.read(X.Slot);
      Sets.push_back(C.Undefined ? TypeSet::all() : C.Axes[A].Set);
    }
    const TransferFact *By = nullptr;
    const OperandList Replicas = Terms.addedToTerms(O, A, Sets, Sums, By);
    if (!Replicas.empty())
      run(ReplicasAdded{O, A, Sets, Replicas, By});
  }
}

} // namespace spmd::rules::inference
