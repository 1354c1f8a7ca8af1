//===- Expect.h - What must hold of any input -------------------*- C++ -*-===//

#ifndef SPMD_TEST_FUZZ_EXPECT_H
#define SPMD_TEST_FUZZ_EXPECT_H

#include <cstdio>
#include <cstdlib>

/// Ends the program, as a crash does, when \p Holds is false.
inline void expect(bool Holds, const char *What) {
  if (Holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", What);
  std::abort();
}

#endif // SPMD_TEST_FUZZ_EXPECT_H
