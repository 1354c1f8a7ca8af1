// The macros in C, where GCC's preprocessor cannot read an attribute's scoped name.
// RUN: clang-22 -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only %runtime-include %s
// RUN: gcc -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only %runtime-include %s
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include 2>&1 | FileCheck-22 %s

#include <spmd/annotations.h>

struct model {
  SPMD_TYPE("tp: R") float *weight;
};

SPMD_TYPE("tp: V") float *shard(void);

// CHECK: error: {{.*}}'m.weight' must be R on 'tp', but 'shard()' is V{{.*}} [spmd-contract]
void set(struct model *m) { m->weight = shard(); }
