//===- SteadyState.h - Calls allocate nothing once warm ---------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_STEADYSTATE_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_STEADYSTATE_H

#include <spmd/spmd.h>

namespace spmd::test {

/// Calls of operator new, by all threads of the process, in operators of every
/// kind on \p A, an axis of two ranks: dense, packed, uneven. After a warm-up.
/// 0 in builds with a sanitizer, which have their own operator new.
long allocationsInCalls(const Axis &A);
/// The same for operators that are started.
long allocationsInStarts(const Axis &A);
/// The same for redistribute over axis tp of \p M, of two ranks, at once and
/// started, and strided views.
long allocationsInPlans(const Mesh &M);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_STEADYSTATE_H
