//===- ScalarRules.cpp - Rules of C++'s own operators ---------------------===//

#include "spmd/ops/ScalarRules.h"

namespace spmd::rules {

OpRule makeRule(llvm::StringRef Name, OpClass Class, unsigned NumFormals,
                OpRoles Roles) {
  OpRule R;
  R.Name = Name.str();
  R.Family = "c++";
  R.Term.K = RuleTerm::Kind::Apply;
  R.Term.Class = Class;
  for (unsigned I = 0; I != NumFormals; ++I) {
    RuleFormal F;
    F.Name = I == 0 ? "self" : "other" + (I > 1 ? std::to_string(I) : "");
    F.Optional = I > 0;
    R.Formals.push_back(std::move(F));
    RuleTerm Child;
    Child.Operand = I;
    R.Term.Children.push_back(std::move(Child));
  }
  R.Roles = Roles;
  R.TermText = printRuleTerm(R.Term, R.Formals);
  R.Reason = "an operator of the language";
  return R;
}

const ScalarRules &ScalarRules::get() {
  static const ScalarRules Rules = {
      makeRule("copy", OpClass::Linear, 1, {OpRole::Copies}),
      makeRule("neg", OpClass::Linear, 1),
      makeRule("add", OpClass::Linear, 2, {OpRole::Adds}),
      makeRule("sub", OpClass::Linear, 2, {OpRole::Subtracts}),
      makeRule("mul", OpClass::Multilinear, 2, {OpRole::Multiplies}),
      makeRule("div", OpClass::Quotient, 2, {OpRole::Divides}),
      makeRule("equal", OpClass::Selector, 2, {OpRole::ComparesEqual}),
      makeRule("unequal", OpClass::Selector, 2, {OpRole::ComparesUnequal}),
      makeRule("compare", OpClass::Selector, 2),
      makeRule("not", OpClass::Selector, 1, {OpRole::Inverts}),
      makeRule("math", OpClass::Nonlinear, 4),
      makeRule("isnan", OpClass::OwnPart, 1),
  };
  return Rules;
}

} // namespace spmd::rules
