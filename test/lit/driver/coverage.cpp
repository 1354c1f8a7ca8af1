// A run says how much it has understood: on its last line, and by function.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2> /dev/null | FileCheck %s
// RUN: %spmd-tidy --format=json %s -- %stubs 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: %spmd-tidy --format=sarif %s -- %stubs | FileCheck %s --check-prefix=SARIF
// RUN: not %spmd-tidy --summary=all %s -- %stubs 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: echo 'int f(int x) { return x; }' > %t.cpp
// RUN: %spmd-tidy %t.cpp -- %stubs 2>&1 | count 0

// LINE-NOT: error:
// LINE: {{^}}no findings; 57 % of 7 tensor expressions typed on dp; operands of 1 of 2 collectives typed{{$}}
// WRONG: error: unknown value of --summary 'all'; there is coverage
// SARIF: "coverage": "no findings; 57 %

// JSON: "coverage": {
// JSON-NEXT: "expressions": 7,
// JSON-NEXT: "typed": {
// JSON-NEXT: "dp": 4
// JSON: "collectives": 2,
// JSON-NEXT: "collectivesGiven": 1,
// JSON: "function": "half",
// JSON: "what": "parameter 'y' of 'half'",
// JSON: "expressions": 2

// CHECK: coverage.cpp: 57 % of 7 tensor expressions typed on dp; operands of 1 of 2 collectives typed
// CHECK-NEXT: line [[#@LINE+12]], 'known': 100 % of 2 tensor expressions typed on dp; operands of 1 of 1 collective typed
// CHECK-NEXT: line [[#@LINE+15]], 'half': 33 % of 3 tensor expressions typed on dp
// CHECK-NEXT: line [[#@LINE+18]], 'unknown': 50 % of 2 tensor expressions typed on dp; operands of 0 of 1 collective typed
// CHECK-NEXT: annotate parameter 'y' of 'half' (coverage.cpp:{{[0-9]+}}): 2 expressions hang on it
// CHECK-NEXT: annotate parameter 'x' of 'unknown' (coverage.cpp:{{[0-9]+}}): 1 expression hangs on it
#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("dp")]] extern spmd::Axis dp;

Tensor known([[spmd::type("dp: P")]] const Tensor &x) {
  return spmd::all_reduce(x * 2, dp, spmd::P, spmd::R);
}
// Sizes are no tensors.
Tensor half([[spmd::type("dp: R")]] const Tensor &x, const Tensor &y, int n) {
  n = n * 2 + 1;
  return x.relu() + y.relu();
}
Tensor unknown(const Tensor &x) {
  return spmd::all_gather(x.relu(), dp, spmd::V, spmd::R);
}
