//===- ReplicasInSums.cpp - Replicas added to terms of a sum --------------===//

#include "ReplicasInSums.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Of \p Given, of which an operand is made, that which is not the same on all
/// ranks, if it is one; None where nobody knows what the operand is.
SlotId ReplicasInSums::decidingOf(llvm::ArrayRef<SlotId> Given) const {
  SlotId Own = SlotId::None;
  for (const SlotId S : Given) {
    if (S == SlotId::None || (Given.size() > 1 && Store.read(S).Number))
      return SlotId::None;
    const AbstractValue &Is = Store.read(S);
    if (llvm::all_of(Is.Axes, [](const AxisState &A) {
          return A.Set.subsetOf(LocalType::R | LocalType::I);
        }))
      continue;
    if (Own != SlotId::None && Own != S)
      return SlotId::None;
    Own = S;
  }
  return Own == SlotId::None ? Given.front() : Own;
}

/// \p X with the arguments of \p Call for its operands; null where one is
/// missing.
std::optional<OpFact> ReplicasInSums::inCaller(const AddingOp &X,
                                               const CallFact &Call) const {
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
    llvm::SmallVector<SlotId, 2> Of;
    for (const unsigned Parameter : X.Parameters[I])
      Of.push_back(Given(Parameter).Slot);
    Out.Operands[I].Slot = decidingOf(Of);
    for (const unsigned Parameter : X.Parameters[I])
      if (Given(Parameter).Slot == Out.Operands[I].Slot)
        Out.Operands[I].At = Given(Parameter).At;
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
  for (auto &Of : Out.Parameters)
    for (unsigned &Parameter : Of) {
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
      addedByCallee(X, *Here, Terms.summedBy(Call, Here->WritesTo));
}

void ReplicasInSums::addedByCallee(const AddingOp &X, const OpFact &O,
                                   const SummedTerms::SumList &Sums) {
  for (AxisId A = 0; !Sums.empty() && A != E.universe().size(); ++A) {
    llvm::SmallVector<TypeSet, 4> Sets;
    for (const Operand &Given : O.Operands) {
      const AbstractValue &C = Store.read(Given.Slot);
      Sets.push_back(C.Undefined ? TypeSet::all() : C.Axes[A].Set);
    }
    const TransferFact *By = nullptr;
    const OperandList Replicas = Terms.addedToTerms(O, A, Sets, Sums, By);
    // What is added to terms that are made of several, the callee itself tells.
    const bool IsOfSeveral = llvm::any_of(
        X.Parameters, [](const auto &Of) { return Of.size() > 1; });
    if (!Replicas.empty() &&
        (!IsOfSeveral || llvm::all_of(Replicas, [&](std::size_t I) {
          return X.Parameters[I].size() > 1;
        })))
      run(ReplicasAdded{O, A, Sets, Replicas, By});
  }
}

} // namespace spmd::rules::inference
