// A flattened axis is another name for its parts.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:"
// RUN: %spmd-tidy --explain-plan 'f32[8@both]' 'f32[8@(tp,dp)]' '--mesh=dp=2,tp=4,both=(dp,tp)' | FileCheck %s --check-prefix=PLAN
// PLAN: [8@(dp,tp)]
// PLAN-NEXT: permute over (dp,tp)

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4, dp_tp=(dp,tp)")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;
[[spmd::axis("dp_tp")]] extern spmd::Axis dp_tp;

[[spmd::global]] [[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor
same([[spmd::type("f32[64@dp_tp, 8]")]] at::Tensor x, [[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor y) {
  return x + y;
}

[[spmd::global]] [[spmd::type("f32[64, 8]{dp_tp: R}")]] at::Tensor
gathered([[spmd::type("f32[64@dp_tp, 8]")]] at::Tensor x) {
  return spmd::all_gather(x, dp_tp, spmd::S(0), spmd::R);
}

// CHECK: flattened-axes.cpp:[[#@LINE+3]]:3: error: the value returned from 'order' must be [64@(dp,tp), 8], but 'x' is [64@(tp,dp), 8]
[[spmd::global]] [[spmd::type("f32[64@dp_tp, 8]")]] at::Tensor
order([[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor x) {
  return x;
}

// CHECK: flattened-axes.cpp:[[#@LINE+1]]:41: error: 'dp' overlaps 'dp_tp', which is (dp,tp): a rank's place on the one is its place on the other [spmd-annotation]
void overlap([[spmd::type("[64@dp_tp, 8@dp]")]] at::Tensor x);
// CHECK: flattened-axes.cpp:[[#@LINE+1]]:41: error: 'dp_tp', which is (dp,tp), overlaps 'tp': a rank's place on the one is its place on the other [spmd-annotation]
void local_overlap([[spmd::type("tp: R, dp_tp: R")]] at::Tensor x);

// Two spellings of one type are no contradiction.
void consume([[spmd::type("f32[64@dp_tp, 8]")]] at::Tensor x);
void consume([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x);

// On one axis, what is local is of both.
at::Tensor local([[spmd::type("dp_tp: P")]] at::Tensor x) {
  at::Tensor y = spmd::all_reduce(x, dp, spmd::P, spmd::R);
  return torch::relu(spmd::all_reduce(y, tp, spmd::P, spmd::R));
}

} // namespace trainer

// Experts on the same ranks, folded in another way: the finest parts are shared.
namespace [[spmd::mesh("dp=4, t0=2, t1=2, ep=(dp,t0), etp=(t1)")]] experts {
void run([[spmd::type("f32[64@ep, 8]{etp: R}")]] at::Tensor x);
}
namespace [[spmd::mesh("dp=4, t0=2, t1=2, tp=(t0,t1)")]] attention {
[[spmd::global]] void
as_experts([[spmd::type("f32[64@(dp,t0), 8]{t1: R}")]] at::Tensor x) {
  experts::run(x);
}
// CHECK: flattened-axes.cpp:[[#@LINE+3]]:3: error: the argument for 'x' must be R on 't1', but 'x' is S(0)
[[spmd::global]] void
as_attention([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x) {
  experts::run(x);
}
} // namespace attention

// CHECK: flattened-axes.cpp:[[#@LINE+1]]:31: error: the mesh has no axis 'cp' [spmd-annotation]
namespace [[spmd::mesh("dp=2, x=(dp,cp)")]] wrong {}
