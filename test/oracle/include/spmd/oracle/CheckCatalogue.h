//===- CheckCatalogue.h - The types of named ops, by numbers ----*- C++ -*-===//

#ifndef SPMD_ORACLE_CHECKCATALOGUE_H
#define SPMD_ORACLE_CHECKCATALOGUE_H

#include "spmd/ops/OpCatalogue.h"

namespace spmd::oracle {

/// One op's rule against what its kernel makes of every tuple of operand types.
struct OpCheck {
  const rules::OpRule *Rule = nullptr;
  std::string Error;    ///< of the kernel's text
  unsigned Typings = 0; ///< tuples of operand types with a result type
  /// "mul(P, P) -> P: [1 | 1] [1 | 1] give …": the rule accepts what is wrong.
  std::vector<std::string> Unsound;
  /// "sign(R) -> I": right on every try, and the rule does not accept it.
  std::vector<std::string> Absent;
};

/// Ops that say the same have one check.
std::string checkKey(const rules::OpRule &Rule);

/// With all optional operands and with none; a variadic operand is given two.
OpCheck checkOp(const rules::OpRule &Rule);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKCATALOGUE_H
