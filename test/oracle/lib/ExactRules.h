//===- ExactRules.h - Ops that are what they say ----------------*- C++ -*-===//
//
// Most ops of a program have a stand-in of their class. What tells one rank
// from the others, and what adds to a sum on it, must be the op itself.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_LIB_EXACTRULES_H
#define SPMD_ORACLE_LIB_EXACTRULES_H

#include "spmd/oracle/StandIn.h"

namespace spmd::oracle {

/// Whether \p Rule is `==`, `!=` or `!` of the language, or adds.
bool isExact(const rules::OpRule &Rule);
Tangent applyExact(const rules::OpRule &Rule, llvm::ArrayRef<Tangent> Actuals);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_EXACTRULES_H
