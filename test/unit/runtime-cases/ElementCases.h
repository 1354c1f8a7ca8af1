//===- ElementCases.h - Unsigned numbers and bools --------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_ELEMENTCASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_ELEMENTCASES_H

#include "TransitionCases.h"

namespace spmd::test {

/// Sums and extremes of numbers above those that have a sign, bools that are
/// gathered and compared, and not added, and floats of 8 bits; errors where
/// the transport has not all of them. On three ranks.
void checkElements(Launcher &On, bool HasAll = true);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_ELEMENTCASES_H
