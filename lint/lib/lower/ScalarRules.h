//===- ScalarRules.h - Rules of C++'s own operators -------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_SCALARRULES_H
#define SPMD_LINT_LOWER_SCALARRULES_H

#include "spmd/rules/OpRule.h"

namespace spmd::lint::lower {

/// A rule `name(a, b*) = class(a, b)` that no catalogue entry stands behind.
rules::OpRule makeRule(llvm::StringRef Name, rules::OpClass Class,
                       unsigned NumFormals);

/// The language's arithmetic, shared by all analyses.
struct ScalarRules {
  rules::OpRule Copy, Neg, Add, Sub, Mul, Div, Equal, Unequal, Compare, Not,
      Math;
  static const ScalarRules &get();
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SCALARRULES_H
