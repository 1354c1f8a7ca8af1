// What the repairs of global code are, what they cost, and which comes first.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --format=json %s -- %stubs -std=c++20 | FileCheck %s --check-prefix=JSON
// RUN: cp %s %t.cpp
// RUN: %spmd-tidy --autoshard %t.cpp -- -std=c++20 %stubs 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: FileCheck %s --check-prefix=FIXED < %t.cpp
// RUN: %spmd-tidy %t.cpp -- -std=c++20 %stubs

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

extern spmd::Mesh mesh;
[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

// The declared result wants the order of x.
// CHECK: repairs.cpp:[[#@LINE+7]]:10: error: 'i' is sharded in another order in 'y' than in 'x': 'add' would combine different parts of it [spmd-shard-propagation]
// CHECK: repairs.cpp:[[#@LINE+6]]:14: note: fix: redistribute 'y' from [64@(tp,dp), 8] to [64@(dp,tp), 8] (moves 256 bytes per rank in 1 collective, peak 256 bytes; backward: the way back)
// JSON: "cost": "moves 256 bytes per rank in 1 collective, peak 256 bytes; backward: the way back"
// LIST: repairs.cpp.tmp.cpp:26:10: redistribute 'y' from [64@(tp,dp), 8] to [64@(dp,tp), 8] (moves 256 bytes per rank in 1 collective, peak 256 bytes; backward: the way back)
// FIXED: return x + spmd::redistribute(y, mesh, "[64@(tp,dp), 8]", "[64@(dp,tp), 8]");
[[spmd::global]] [[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor
order([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x, [[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor y) {
  return x + y;
}

// CHECK: repairs.cpp:[[#@LINE+5]]:3: error: the value returned from 'returned' must be [64@(tp,dp), 8], but 'x' is [64@(dp,tp), 8]
// CHECK: repairs.cpp:[[#@LINE+4]]:10: note: fix: redistribute 'x' from [64@(dp,tp), 8] to [64@(tp,dp), 8]
// FIXED: return spmd::redistribute(x, mesh, "[64@(dp,tp), 8]", "[64@(tp,dp), 8]");
[[spmd::global]] [[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor
returned([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x) {
  return x;
}

// Cutting y costs nothing, but the result is declared to be whole.
// CHECK: repairs.cpp:[[#@LINE+5]]:10: error: 'i' is sharded on 'dp' in 'x', but not in 'y'
// CHECK: repairs.cpp:[[#@LINE+4]]:10: note: fix: take 'x' through all_gather from S(0) to R on 'dp' (moves 512 bytes per rank in 1 collective, peak 1024 bytes; backward: reduce_scatter)
// FIXED: return spmd::all_gather(x, dp, spmd::S(0), spmd::R) + y;
[[spmd::global]] [[spmd::type("bf16[64, 8]{dp: R, tp: R}")]] at::Tensor
replicated([[spmd::type("bf16[64@dp, 8]{tp: R}")]] at::Tensor x, [[spmd::type("bf16[64, 8]{dp: R, tp: R}")]] at::Tensor y) {
  return x + y;
}

// Both cost the same: what is inferred moves.
// CHECK: repairs.cpp:[[#@LINE+5]]:10: note: fix: take 'x.relu()' through all_to_all from S(0) to S(1) on 'dp' (moves 4096 bytes per rank in 1 collective, peak 8192 bytes; backward: all_to_all)
// CHECK: repairs.cpp:[[#@LINE+4]]:21: note: fix: take 'y' through all_to_all from S(1) to S(0) on 'dp'
// FIXED: return spmd::all_to_all(x.relu(), dp, spmd::S(0), spmd::S(1)) + y;
[[spmd::global]] at::Tensor
inferred([[spmd::type("f32[64@dp, 64]{tp: R}")]] at::Tensor x, [[spmd::type("f32[64, 64@dp]{tp: R}")]] at::Tensor y) {
  return x.relu() + y;
}

// What follows wants the sum in shards: half the bytes.
// CHECK: repairs.cpp:[[#@LINE+4]]:10: note: fix: say that the result of 'matmul' is a pending sum on 'tp', and take it through reduce_scatter from P to S(0) on 'tp' (moves 3*B*D/4 bytes per rank in 1 collective, peak B*D bytes; backward: all_gather)
// FIXED: return spmd::reduce_scatter(spmd::out_partial(at::matmul(x, w), tp), tp, spmd::P, spmd::S(0));
[[spmd::global]] [[spmd::type("bf16[B@(dp,tp), D]")]] at::Tensor
scattered([[spmd::type("bf16[B@dp, K@tp]")]] at::Tensor x, [[spmd::type("bf16[K@tp, D]{dp: R}")]] at::Tensor w) {
  return at::matmul(x, w);
}

// The sum is over two axes.
// FIXED: return spmd::redistribute(spmd::out_partial(at::matmul(x, w), dp, tp), mesh, "[64, 64]{dp: P, tp: P}", "[64, 64]{dp: R, tp: R}");
[[spmd::global]] [[spmd::type("f32[64, 64]{dp: R, tp: R}")]] at::Tensor
both([[spmd::type("f32[64, 64@(dp,tp)]")]] at::Tensor x, [[spmd::type("f32[64@(dp,tp), 64]")]] at::Tensor w) {
  return at::matmul(x, w);
}

// CHECK: repairs.cpp:[[#@LINE+4]]:10: note: fix: take 'x' through all_gather from S(1) to R on 'tp' (moves 6144 bytes per rank in 1 collective, peak 8192 bytes; backward: reduce_scatter)
// FIXED: return spmd::all_gather(x, tp, spmd::S(1), spmd::R);
[[spmd::global]] [[spmd::type("f32[64@dp, 64]{tp: R}")]] at::Tensor
gathered([[spmd::type("f32[64@dp, 64@tp]")]] at::Tensor x) {
  return x;
}

// Of the two collectives in its way, one is enough when sizes are even.
// CHECK: repairs.cpp:[[#@LINE+4]]:25: note: fix: take 'x' through all_to_all from S(1) to S(0) on 'tp'
// FIXED: return torch::softmax(spmd::all_to_all(x, tp, spmd::S(1), spmd::S(0)), -1);
[[spmd::global]] at::Tensor
whole([[spmd::type("f32[64@dp, 64@tp]")]] at::Tensor x) {
  return torch::softmax(x, -1);
}
// LIST: applied 8 fixes in 1 file

} // namespace trainer
