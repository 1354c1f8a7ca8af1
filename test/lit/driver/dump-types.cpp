// Every declaration and expression whose type is known on some axis, in order.
// RUN: %spmd-tidy --dump-types %s -- %stubs | FileCheck %s --match-full-lines
// RUN: %spmd-tidy --dump-types=json %s -- %stubs \
// RUN:   | FileCheck %s --check-prefix=JSON

#include <spmd/torch.h>
#include <torch/torch.h>

at::Tensor step([[spmd::type("dp: V, tp: R")]] const at::Tensor &x,
                [[spmd::type("tp: V")]] const at::Tensor &w,
                [[spmd::axis("tp")]] const spmd::Axis &tp, int n) {
  const at::Tensor y =
      at::matmul(x,
                 w);
  at::Tensor unknown = at::rand({n});
  return spmd::all_reduce(spmd::out_partial(y, tp), tp, spmd::P, spmd::I);
}

// CHECK:      {{.*}}dump-types.cpp:9:30: x: dp: V, tp: R
// CHECK-NEXT: {{.*}}dump-types.cpp:10:30: w: tp: V
// CHECK-NEXT: {{.*}}dump-types.cpp:12:3: y: dp: V, tp: V
// CHECK-NEXT: {{.*}}dump-types.cpp:13:7: at::matmul(x, w): dp: V, tp: V
// CHECK-NEXT: {{.*}}dump-types.cpp:16:10: spmd::all_reduce(spmd::out_partial(y, tp), tp, spmd::P, spmd::I): dp: V, tp: I
// CHECK-NEXT: {{.*}}dump-types.cpp:16:27: spmd::out_partial(y, tp): dp: V, tp: P

// JSON:      "line": 12,
// JSON-NEXT: "column": 3,
// JSON-NEXT: "length": {{[0-9]+}},
// JSON-NEXT: "name": "y",
// JSON-NEXT: "type": "dp: V, tp: V"
