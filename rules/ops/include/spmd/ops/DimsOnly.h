//===- DimsOnly.h - Operands that give dims and no values -------*- C++ -*-===//
//
// An operand that an op's term does not have matters by its dims: zeros_like,
// view_as. The local types take no notice of it; the rule for dims does.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_DIMSONLY_H
#define SPMD_OPS_DIMSONLY_H

#include "spmd/ops/OpRule.h"

namespace spmd::rules {

/// Whether \p Term has \p Operand, an index into its formals.
bool readsValue(const RuleTerm &Term, unsigned Operand);

/// The local type of a result on an axis that shards it, where the operands'
/// types make \p Made: what each rank copies into the dims of another tensor's
/// shard is a shard. Empty: no type says what it is.
constexpr TypeSet typeOfShards(TypeSet Made) {
  return (Made & (LocalType::R | LocalType::V)).empty() ? TypeSet::none()
                                                        : TypeSet(LocalType::V);
}

} // namespace spmd::rules

#endif // SPMD_OPS_DIMSONLY_H
