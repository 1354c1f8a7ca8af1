//===- OrdinaryOps.h - Ops that random programs are made of -----*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_ORDINARYOPS_H
#define SPMD_ORACLE_LIB_ORDINARYOPS_H

#include "spmd/ops/OpRule.h"

namespace spmd::oracle {

/// Whether a gradient flows through all of it.
bool isPlain(const rules::RuleTerm &T);

/// The rules whose stand-in says all that they do.
const std::vector<const rules::OpRule *> &ordinaryOps();

/// Drawn once more, as programs have them.
constexpr llvm::StringLiteral CommonOps[] = {
    "add", "sub", "mul", "div", "neg", "relu", "matmul", "sum", "detach"};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_ORDINARYOPS_H
