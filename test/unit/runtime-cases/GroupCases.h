//===- GroupCases.h - Groups that are no digits of a mesh -------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_GROUPCASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_GROUPCASES_H

#include <spmd/mesh.h>

namespace spmd::test {

/// Operators of the ranks 3, 0 and 1 of \p M, which has four, in that order; 2
/// is alone. Buffers are the host's.
void checkGroups(const Mesh &M);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_GROUPCASES_H
