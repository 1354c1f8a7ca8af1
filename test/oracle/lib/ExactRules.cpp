//===- ExactRules.cpp - Ops that are what they say ------------------------===//

#include "ExactRules.h"

using namespace spmd::rules;

namespace spmd::oracle {

bool isExact(const OpRule &Rule) {
  return Rule.is(OpRole::Adds) || Rule.is(OpRole::Inverts) ||
         Rule.is(OpRole::ComparesEqual) || Rule.is(OpRole::ComparesUnequal);
}

Tangent applyExact(const OpRule &Rule, llvm::ArrayRef<Tangent> X) {
  const auto Is = [](bool True) { return Tangent{True ? 1 : 0}; };
  if (Rule.is(OpRole::Inverts))
    return Is(X[0].Value == 0);
  if (Rule.is(OpRole::ComparesEqual) || Rule.is(OpRole::ComparesUnequal))
    return Is((X[0].Value == X[1].Value) == Rule.is(OpRole::ComparesEqual));
  // add(self, other, alpha)
  const Tangent Scale = X.size() > 2 ? X[2] : Tangent{1};
  return {plus(X[0].Value, times(X[1].Value, Scale.Value)),
          plus(X[0].Slope, plus(times(X[1].Slope, Scale.Value),
                                times(X[1].Value, Scale.Slope)))};
}

} // namespace spmd::oracle
