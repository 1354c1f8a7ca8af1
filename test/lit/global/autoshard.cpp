// --autoshard repairs a function until it checks, and says what that costs.
// RUN: cp %s %t.cpp
// RUN: %spmd-tidy --autoshard %t.cpp -- -std=c++20 %stubs 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: FileCheck %s < %t.cpp
// RUN: %spmd-tidy %t.cpp -- -std=c++20 %stubs
// RUN: not %spmd-tidy --autoshard --fix %t.cpp -- -std=c++20 %stubs 2>&1 | FileCheck %s --check-prefix=BOTH

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

[[spmd::global]] [[spmd::type("[B@dp, D]{tp: R}")]] at::Tensor
mlp([[spmd::type("[B@dp, D]{tp: R}")]] at::Tensor x,
    [[spmd::type("[D, H@tp]{dp: R}")]] at::Tensor up,
    [[spmd::type("[H@tp, D]{dp: R}")]] at::Tensor down,
    [[spmd::type("[B, D]{dp: R, tp: R}")]] at::Tensor mask) {
  at::Tensor h = torch::softmax(at::matmul(x, up), 0);
  at::Tensor y = at::matmul(torch::gelu(at::matmul(x, up)), down);
  return y + mask;
}
// The softmax is along dp and its result unused.
// CHECK: torch::softmax(spmd::all_gather(at::matmul(x, up), dp, spmd::S(0), spmd::R), 0);
// CHECK: at::Tensor y = spmd::all_reduce(spmd::out_partial(at::matmul(torch::gelu(at::matmul(x, up)), down), tp), tp, spmd::P, spmd::R);
// CHECK: return y + spmd::convert(mask, dp, spmd::R, spmd::S(0));
// LIST-DAG: autoshard.cpp.tmp.cpp:20:18: say that the result of 'matmul' is a pending sum on 'tp', and add it up (moves 2(N-1)/N of it over 'tp'; backward: all_reduce)
// LIST-DAG: take 'mask' through convert from R to S(0) on 'dp' (no communication; backward: no communication)
// LIST: applied 3 fixes in 1 file
// BOTH: --autoshard makes the repairs of global code only, --fix makes all
