// What several operands need is one repair, written in all places. Nothing is offered that only hides what is wrong.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not="on 'dp' (moves"
// RUN: cp %s %t.cpp
// RUN: %spmd-tidy --fix %t.cpp -- %stubs 2>&1
// RUN: FileCheck %s --check-prefix=FIXED < %t.cpp
// RUN: %spmd-tidy %t.cpp -- %stubs | count 0

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4, cp=2")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("cp")]] extern spmd::Axis cp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

// CHECK: together.cpp:[[#@LINE+7]]:10: error: 'scaled_dot_product_attention' needs 'i' whole, but 'cp' shards it in 'k'
// CHECK: together.cpp:[[#@LINE+6]]:46: note: fix: take 'k' and 'v' through all_gather from S(2) to R on 'cp' (each moves B*H*K*S/16 elements per rank in 1 collective, peak B*H*K*S/8 elements; backward: reduce_scatter)
// FIXED: return at::scaled_dot_product_attention(q, spmd::all_gather(k, cp, spmd::S(2), spmd::R), spmd::all_gather(v, cp, spmd::S(2), spmd::R));
[[spmd::global]] at::Tensor
attention([[spmd::type("[B@dp, H@tp, S@cp, K]")]] at::Tensor q,
          [[spmd::type("[B@dp, H@tp, S@cp, K]")]] at::Tensor k,
          [[spmd::type("[B@dp, H@tp, S@cp, K]")]] at::Tensor v) {
  return at::scaled_dot_product_attention(q, k, v);
}

// CHECK: error: 'cat' needs 's' whole
// CHECK: note: fix: take 'a' and 'b' through all_gather from S(1) to R on 'cp'
// FIXED: return torch::cat({spmd::all_gather(a, cp, spmd::S(1), spmd::R), spmd::all_gather(b, cp, spmd::S(1), spmd::R)}, 1);
[[spmd::global]] at::Tensor
joined([[spmd::type("[B@dp, S@cp, D]{tp: R}")]] at::Tensor a, [[spmd::type("[B@dp, S@cp, D]{tp: R}")]] at::Tensor b) {
  return torch::cat({a, b}, 1);
}

// If dp were gathered, what size(0) says would no longer be a rank's part, and nobody could tell what the view makes.
// CHECK: error: 'reshape' joins 'h', which 'tp' shards, with dims before it
// CHECK: note: fix: take 'x.transpose(2, 3)' through all_gather from S(3) to R on 'tp'
// FIXED: return spmd::all_gather(x.transpose(2, 3), tp, spmd::S(3), spmd::R).reshape({x.size(0), x.size(1), -1});
[[spmd::global]] at::Tensor heads([[spmd::type("[B@dp, S, H@tp, K]{cp: R}")]] at::Tensor x) {
  return x.transpose(2, 3).reshape({x.size(0), x.size(1), -1});
}

// A bias is added once, so that x and w must be whole: then there is no sum left to ask for.
// CHECK: error: 'addmm' needs 'k' whole, but 'tp' shards it in 'x'
// CHECK: note: fix: take 'x' through all_gather from S(1) to R on 'tp' and 'w' through all_gather from S(0) to R on 'tp' (moves
// FIXED: return torch::addmm(b, spmd::all_gather(x, tp, spmd::S(1), spmd::R), spmd::all_gather(w, tp, spmd::S(0), spmd::R));
[[spmd::global]] at::Tensor
biased([[spmd::type("[N@dp, D@tp]{cp: R}")]] at::Tensor x, [[spmd::type("[D@tp, F]{dp: R, cp: R}")]] at::Tensor w,
       [[spmd::type("[F]{dp: R, tp: R, cp: R}")]] at::Tensor b) {
  return spmd::all_reduce(spmd::out_partial(torch::addmm(b, x, w), tp), tp, spmd::P, spmd::R);
}

} // namespace trainer
