//===- CheckCatalogue.cpp - The types of named ops, by numbers ------------===//

#include "spmd/oracle/CheckCatalogue.h"

#include "spmd/ops/DimsOnly.h"

#include "spmd/explain/Judgement.h"
#include "spmd/explain/Kernels.h"

using namespace spmd::explain;
using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// Which formal each actual operand belongs to.
using Actuals = llvm::SmallVector<unsigned, 6>;

Actuals actualsOf(const OpRule &Rule, bool WithOptional) {
  Actuals Out;
  for (unsigned I = 0; I != Rule.Formals.size(); ++I) {
    if ((Rule.Formals[I].Optional && !WithOptional) ||
        !readsValue(Rule.Term, I))
      continue;
    Out.push_back(I);
    if (Rule.Formals[I].Variadic)
      Out.push_back(I);
  }
  return Out;
}

class Checker {
public:
  Checker(const OpRule &Rule, const KernelTerm &Term, OpCheck &Out)
      : Rule(Rule), Term(Term), Out(Out) {}

  void run(const Actuals &FormalOf) {
    const auto F = [&](llvm::ArrayRef<Values> X) {
      return evaluate(Term, X, FormalOf);
    };
    for (unsigned Code = 0; Code != 1u << (2 * FormalOf.size()); ++Code) {
      Judgement J{F, {}, LocalType::R, ElementsOfOperand};
      llvm::SmallVector<TypeSet, 6> Sets;
      for (unsigned I = 0; I != FormalOf.size(); ++I) {
        J.Operands.push_back(AllLocalTypes[Code >> (2 * I) & 3]);
        Sets.push_back(J.Operands.back());
      }
      const TypeSet Accepted = applyRule(Rule, Sets, FormalOf).Output;
      for (LocalType Result : AllLocalTypes) {
        J.Result = Result;
        judge(J, Accepted.contains(Result));
      }
    }
  }

private:
  /// A 2x2 matrix, for the kernels about matrices.
  static constexpr unsigned ElementsOfOperand = 4;
  static constexpr unsigned Tries = 10;

  void judge(const Judgement &J, bool Accepted) {
    ++Out.Typings;
    const auto Wrong = findCounterexample(J, Tries);
    if (Accepted == !Wrong)
      return;
    std::string Text = Rule.Name + "(";
    for (const LocalType &T : J.Operands) {
      Text += &T == J.Operands.begin() ? "" : ", ";
      Text += letter(T);
    }
    Text += std::string(") -> ") + letter(J.Result);
    if (Wrong)
      Out.Unsound.push_back(Text + ": " + Wrong->str(J));
    else
      Out.Absent.push_back(Text);
  }

  const OpRule &Rule;
  const KernelTerm &Term;
  OpCheck &Out;
};

} // namespace

std::string checkKey(const OpRule &Rule) {
  std::string Out = Rule.TermText + " = " + Rule.Kernel;
  for (const RuleFormal &F : Rule.Formals)
    Out += F.Optional ? "?" : F.Variadic ? "*" : ".";
  return Out;
}

OpCheck checkOp(const OpRule &Rule) {
  OpCheck Out;
  Out.Rule = &Rule;
  llvm::Expected<KernelTerm> Term = parseKernelTerm(Rule.Kernel, Rule.Formals);
  if (!Term) {
    Out.Error = llvm::toString(Term.takeError());
    return Out;
  }
  Checker C(Rule, *Term, Out);
  const Actuals All = actualsOf(Rule, true), Required = actualsOf(Rule, false);
  C.run(All);
  if (Required != All)
    C.run(Required);
  return Out;
}

} // namespace spmd::oracle
