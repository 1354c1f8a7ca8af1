//===- Witness.cpp - A finding in numbers ---------------------------------===//

#include "spmd/explain/Witness.h"

#include "spmd/explain/Judgement.h"
#include "spmd/explain/Kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace spmd::rules;

namespace spmd::explain {

namespace {

/// "1 and 2": what each rank holds. A tensor of equal elements is one number.
std::string each(const RankValues &X) {
  std::string Out;
  for (const Values &Y : X) {
    Out += &Y == &X.front() ? "" : " and ";
    const bool Equal = llvm::all_of(
        Y, [&](const Dual &D) { return D.Value == Y.front().Value; });
    if (Equal)
      Out += Y.empty() ? "nothing" : Y.front().Value.str();
    else
      Out += print({Y});
  }
  return Out;
}

Values sumOf(const RankValues &X) {
  Values Out = X.front();
  for (const Values &Y : llvm::drop_begin(X))
    for (std::size_t I = 0; I != Out.size(); ++I)
      Out[I] = Out[I] + Y[I];
  return Out;
}

const char *countOf(std::size_t Ranks) {
  constexpr const char *Names[] = {"no", "one", "two", "three", "four"};
  return Names[Ranks];
}

/// An op with the types of its operands, as a question to the oracle.
class OpWitness {
public:
  OpWitness(const Violation &V, const OpFact &O) : V(V), O(O) {}

  std::string str() {
    for (const Operand &X : O.Operands)
      Types.push_back(typeOf(X));
    const bool HasKernel = findKernel();
    const auto F = [&](llvm::ArrayRef<Values> X) { return run(X); };
    Judgement J{F, {}, resultType(), 1};
    J.Operands.assign(Types.begin(), Types.end());
    const std::optional<Counterexample> C = findCounterexample(J);
    if (!C || (C->Expected.empty() && !C->WrongGradient))
      return {};
    return (HasKernel ? "" : standIn()) + held(*C) + ": " + outcome(*C);
  }

private:
  /// The type the finding gives an operand; those it is not about are R.
  LocalType typeOf(const Operand &X) const {
    for (const ViolationOperand &Named : V.Operands)
      if (Named.At == X.At && Named.Type.Set.isSingle())
        return Named.Type.Set.single();
    return V.as<InvariantMix>() ? LocalType::I : LocalType::R;
  }

  bool findKernel() {
    if (O.Rule->Kernel.empty())
      return false;
    llvm::Expected<KernelTerm> Parsed =
        parseKernelTerm(O.Rule->Kernel, O.Rule->Formals);
    if (Parsed)
      Kernel = std::move(*Parsed);
    else // a user's own entry; nothing checks it before
      llvm::consumeError(Parsed.takeError());
    return Kernel.has_value();
  }

  Values run(llvm::ArrayRef<Values> X) const {
    if (Kernel)
      return evaluate(*Kernel, X, O.FormalOf);
    Dual Out = X[0][0];
    for (const Values &Y : X.drop_front())
      Out = V.as<PartialProduct>() ? Out * Y[0] : Out + Y[0];
    return {V.as<PartialNonlinear>() ? Out * Out : Out};
  }

  std::string standIn() const {
    return V.as<PartialNonlinear>()
               ? "with a square in place of '" + V.Op + "', "
               : "";
  }

  LocalType resultType() const {
    if (!V.as<InvariantMix>())
      return LocalType::P;
    return llvm::is_contained(Types, LocalType::V) ? LocalType::V
                                                   : LocalType::R;
  }

  std::string held(const Counterexample &C) const {
    std::string Out =
        std::string(countOf(C.Operands.front().size())) + " ranks holding ";
    for (std::size_t I = 0; I != C.Operands.size(); ++I) {
      Out += (I ? ", " : "") + each(C.Operands[I]);
      const std::string &Name = nameOf(O.Operands[I]);
      if (C.Operands.size() > 1 && !Name.empty())
        Out += " of '" + Name + "'";
    }
    return Out;
  }
  std::string nameOf(const Operand &X) const {
    for (const ViolationOperand &Named : V.Operands)
      if (Named.At == X.At)
        return Named.Name;
    return {};
  }

  std::string outcome(const Counterexample &C) const {
    if (!C.WrongGradient)
      return "you get " + each({sumOf(C.Result)}) + ", one device gets " +
             expected(C);
    const std::string Name = nameOf(O.Operands[*C.WrongGradient]);
    return "the gradient " + each(C.Cotangent) + " gives " +
           (Name.empty() ? "the operand" : "'" + Name + "'") + " " +
           each(C.Gradient) + ", one device gives it " +
           each({sumOf(C.Gradient)});
  }

  /// What one device computes from the sums.
  std::string expected(const Counterexample &C) const {
    std::vector<Values> Meanings;
    for (std::size_t I = 0; I != C.Operands.size(); ++I)
      Meanings.push_back(Types[I] == LocalType::P ? sumOf(C.Operands[I])
                                                  : C.Operands[I].front());
    return each({run(Meanings)});
  }

  const Violation &V;
  const OpFact &O;
  std::optional<KernelTerm> Kernel;
  llvm::SmallVector<LocalType, 4> Types;
};

/// A collective that is given the wrong type.
std::string ofTransfer(const TransferFact &T, LocalType Is) {
  const bool Whole = Is == LocalType::R || Is == LocalType::I;
  if (T.K == TransferKind::AllReduce && Whole)
    return "two ranks holding 1 and 1: you get 2, one device gets 1";
  if (T.K == TransferKind::AllGather && Whole)
    return "two ranks holding 1 and 1: you get both, one device has one 1";
  if (T.K == TransferKind::AllGather && Is == LocalType::P)
    return "two ranks holding 1 and 2: you get both, one device has 3";
  return {};
}

/// A value that must have another type from here on.
std::string ofContract(LocalType Is, LocalType Wanted) {
  const auto Whole = [](LocalType T) {
    return T == LocalType::R || T == LocalType::I;
  };
  if (Is == LocalType::P && Whole(Wanted))
    return "two ranks holding 1 and 2: each goes on with its own, one device "
           "has 3";
  if (Whole(Is) && Wanted == LocalType::P)
    return "two ranks holding 1 and 1: as parts of a sum they are 2, one "
           "device has 1";
  if (Is == LocalType::V && Whole(Wanted))
    return "two ranks holding 1 and 2: what is to be one value is two";
  if (Is == LocalType::R && Wanted == LocalType::I)
    return "two ranks with gradients 1 and 2: each takes its own for the "
           "whole, one device has 3";
  if (Is == LocalType::I && Wanted == LocalType::R)
    return "two ranks with gradients 1 and 2, parts of 3: nothing adds them "
           "up, and what came before takes each for the whole";
  return {};
}

} // namespace

std::string witness(const Violation &V) {
  if (V.isPossible() || V.Operands.empty() || !V.Cause)
    return {};
  if (const auto *O = std::get_if<OpFact>(V.Cause))
    return OpWitness(V, *O).str();
  const TypeSet Is = V.Operands.front().Type.Set;
  if (!Is.isSingle())
    return {};
  if (const auto *T = std::get_if<TransferFact>(V.Cause); T && V.as<SrcType>())
    return ofTransfer(*T, Is.single());
  if (const auto *Clash = V.as<ContractClash>();
      Clash && Clash->Required.Set.isSingle())
    return ofContract(Is.single(), Clash->Required.Set.single());
  return {};
}

} // namespace spmd::explain
