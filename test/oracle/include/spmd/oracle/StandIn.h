//===- StandIn.h - A function in an op's place ------------------*- C++ -*-===//
//
// Programs are run with functions that are what an op's rule says and no more:
// a product for what is multilinear, a polynomial for what is non-linear. What
// holds of them holds because of the rule, not because of the op.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_STANDIN_H
#define SPMD_ORACLE_STANDIN_H

#include "spmd/ops/OpRule.h"
#include "spmd/oracle/Tensor.h"

namespace spmd::oracle {

/// A number and its derivative along one direction.
struct Tangent {
  Number Value = 0, Slope = 0;
};

/// The stand-in of \p Rule, on one element of each actual operand. \p FormalOf
/// names the formal of each; absent operands drop out.
Tangent standIn(const rules::OpRule &Rule, llvm::ArrayRef<Tangent> Actuals,
                llvm::ArrayRef<unsigned> FormalOf);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_STANDIN_H
