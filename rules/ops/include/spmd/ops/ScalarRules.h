//===- ScalarRules.h - Rules of C++'s own operators -------------*- C++ -*-===//

#ifndef SPMD_OPS_SCALARRULES_H
#define SPMD_OPS_SCALARRULES_H

#include "spmd/ops/OpRule.h"

namespace spmd::rules {

/// A rule `name(a, b*) = class(a, b)` that no catalogue entry stands behind.
OpRule makeRule(llvm::StringRef Name, OpClass Class, unsigned NumFormals,
                OpRoles Roles = {});

/// The language's arithmetic, shared by all analyses.
struct ScalarRules {
  OpRule Copy, Neg, Add, Sub, Mul, Div, Equal, Unequal, Compare, Not, Math;
  OpRule IsNan; ///< `x != x`
  static const ScalarRules &get();
};

} // namespace spmd::rules

#endif // SPMD_OPS_SCALARRULES_H
