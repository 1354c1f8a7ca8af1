//===- OpRules.cpp - Rules written in tests, and their enumeration --------===//

#include "OpRules.h"

#include "spmd/ops/OpCatalogue.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace spmd::rules;

OpRule ruleOf(const std::string &Operands, const std::string &Term) {
  OpCatalogue C;
  const std::string Document =
      "- op: op\n  operands: " + Operands + "\n  rule: " + Term + "\n";
  llvm::cantFail(C.addYAML({Document, "test.yaml"}));
  return C.rules().front();
}

RuleResult apply(const OpRule &Rule, std::vector<TypeSet> Sets,
                 std::vector<unsigned> FormalOf) {
  return applyRule(Rule, Sets, FormalOf);
}

RuleResult apply(const OpRule &Rule, std::vector<TypeSet> Sets) {
  std::vector<unsigned> FormalOf(Sets.size());
  std::iota(FormalOf.begin(), FormalOf.end(), 0u);
  return applyRule(Rule, Sets, FormalOf);
}

std::string letters(TypeSet Set) {
  std::string Out;
  for (LocalType T : AllLocalTypes)
    if (Set.contains(T))
      Out += letter(T);
  return Out;
}

namespace {

/// The results of \p Term for one type per formal, by the definition of the
/// classes and without any table.
TypeSet results(const RuleTerm &Term, llvm::ArrayRef<LocalType> Types) {
  if (Term.K == RuleTerm::Kind::Operand)
    return Types[Term.Operand];
  if (Term.K == RuleTerm::Kind::Source)
    return typesOf(Term.Source);
  TypeSet Out = firstOperand(Term.Class, results(Term.Children[0], Types));
  for (const RuleTerm &Child : llvm::drop_begin(Term.Children))
    Out = nextOperand(Term.Class, Out, results(Child, Types));
  return Out;
}

/// Calls \p Visit with each choice of one member per set.
template <typename Fn>
void forEachTuple(llvm::ArrayRef<TypeSet> Sets, std::vector<LocalType> &Tuple,
                  Fn Visit) {
  if (Tuple.size() == Sets.size())
    return Visit(Tuple);
  for (LocalType T : AllLocalTypes)
    if (Sets[Tuple.size()].contains(T)) {
      Tuple.push_back(T);
      forEachTuple(Sets, Tuple, Visit);
      Tuple.pop_back();
    }
}

} // namespace

std::string firstInexact(const OpRule &Rule) {
  const std::size_t N = Rule.Formals.size();
  // One table of results per tuple, so that all 15^N choices of sets are fast.
  std::vector<TypeSet> Table(std::size_t(1) << (2 * N));
  const auto IndexOf = [](llvm::ArrayRef<LocalType> Tuple) {
    std::size_t Index = 0;
    for (LocalType T : Tuple)
      Index = Index * 4 + static_cast<std::size_t>(T);
    return Index;
  };
  std::vector<LocalType> Tuple;
  const std::vector<TypeSet> Full(N, TypeSet::all());
  forEachTuple(Full, Tuple, [&](llvm::ArrayRef<LocalType> Types) {
    Table[IndexOf(Types)] = results(Rule.Term, Types);
  });

  std::vector<TypeSet> Sets(N, TypeSet::fromBits(1));
  while (true) {
    TypeSet Output;
    std::vector<TypeSet> Kept(N);
    forEachTuple(Sets, Tuple, [&](llvm::ArrayRef<LocalType> Types) {
      const TypeSet Result = Table[IndexOf(Types)];
      Output |= Result;
      if (!Result.empty())
        for (std::size_t I = 0; I != N; ++I)
          Kept[I] |= Types[I];
    });
    const RuleResult Got = apply(Rule, Sets);
    bool Same = Got.Output == Output && llvm::equal(Got.Narrowed, Kept) &&
                (Got.Culprit != nullptr) == Output.empty();
    if (!Same) {
      std::string Out = Rule.Name + "(";
      for (TypeSet S : Sets)
        Out += " " + letters(S);
      return Out + " ) = " + letters(Got.Output) + ", enumerated " +
             letters(Output);
    }
    std::size_t I = 0;
    while (I != N && Sets[I].isAll())
      Sets[I++] = TypeSet::fromBits(1);
    if (I == N)
      return "";
    Sets[I] = TypeSet::fromBits(Sets[I].bits() + 1);
  }
}
