// Where ways meet and where a loop begins again operators go around what is made and what is read there; the result lints clean.
// RUN: rm -rf %t && mkdir %t && cp %s %t/joins.cpp
// RUN: cd %t && %spmd-tidy --suggest-sharding --fix --mesh=tp=4 --size=B=1,D=4096,E=16384 joins.cpp -- %stubs | FileCheck %s
// RUN: FileCheck %s --check-prefix=FIXED < %t/joins.cpp
// RUN: cp %t/joins.cpp %t/fixed.cpp
// RUN: cd %t && %spmd-tidy --strict joins.cpp -- %stubs | count 0
// RUN: cd %t && %spmd-tidy --autoshard joins.cpp -- %stubs | count 0
// RUN: diff %t/fixed.cpp %t/joins.cpp

#include <spmd/torch.h>
#include <torch/torch.h>
[[spmd::axis("tp")]] extern spmd::Axis tp;

[[spmd::global]] [[spmd::type("f32[B, D]")]] at::Tensor
ways([[spmd::type("f32[B, D]")]] at::Tensor x, [[spmd::type("f32[D, E]")]] at::Tensor up,
     [[spmd::type("f32[E, D]")]] at::Tensor down, bool wide) {
  at::Tensor y = at::relu(x);
  if (wide)
    y = at::matmul(at::relu(at::matmul(y, up)), down);
  return y;
}

[[spmd::global]] [[spmd::type("f32[B, D]")]] at::Tensor
rounds([[spmd::type("f32[B, D]")]] at::Tensor x, [[spmd::type("f32[D, E]")]] at::Tensor up,
       [[spmd::type("f32[E, D]")]] at::Tensor down, int count) {
  at::Tensor y = x;
  for (int i = 0; i < count; ++i)
    y = at::matmul(at::relu(at::matmul(y, up)), down);
  return y;
}

// CHECK: 'ways' on tp=4
// CHECK: redistributions:
// CHECK: joins.cpp:19:9: 'y' [1, 4096]{tp: P} -> [1, 4096]{tp: I}
// CHECK: 'rounds' on tp=4
// CHECK: joins.cpp:28:9: 'y' [1, 4096]{tp: P} -> [1, 4096]{tp: I}
// FIXED: ways({{.*}}f32[B, D]{tp: I}")]] at::Tensor x
// FIXED: y = spmd::all_reduce(spmd::out_partial(at::matmul(at::relu(at::matmul(spmd::invariant_to_replicate(y, tp), up)), down), tp), tp, spmd::P, spmd::I);
// FIXED: rounds({{.*}}f32[B, D]{tp: I}")]] at::Tensor x
// FIXED: at::Tensor y = x;
// FIXED: y = spmd::all_reduce(spmd::out_partial(at::matmul(at::relu(at::matmul(spmd::invariant_to_replicate(y, tp), up)), down), tp), tp, spmd::P, spmd::I);
