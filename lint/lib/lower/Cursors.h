//===- Cursors.h - Numbers that go over a list on their own -----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_CURSORS_H
#define SPMD_LINT_LOWER_CURSORS_H

#include "CountedLoops.h"

namespace spmd::lint::lower {

/// A number that starts at zero with a loop, and that some iterations move on,
/// each behind what it does with it:
/// `for (int i = 0, k = 0; i < n; ++i) if (has[i]) { …list[k]…; ++k; }`. Its
/// elements are as many as those iterations, and each has one.
std::vector<CountedLoop> cursorsOf(const clang::ForStmt *S);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CURSORS_H
