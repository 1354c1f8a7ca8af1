// Tensors among indices, and what is written through them or copied: what is
// then checked.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

using at::Tensor;
using namespace at::indexing;

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

// CHECK: indexing.cpp:[[#@LINE+5]]:10: error: 'index' needs 'v' whole, but 'tp' shards it in 'table': each rank would look at its part alone
// CHECK: indexing.cpp:[[#@LINE+4]]:10: note: the rule of 'index' is [v] h, n -> n h
[[spmd::global]] Tensor rows([[spmd::type("f32[V@tp, H]{dp: R}")]] Tensor table,
                             [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx) {
  // spmd-tidy knows which dim it is.
  return table.index({idx});
}

// CHECK: indexing.cpp:[[#@LINE+4]]:10: error: 'dp' shards 'b' in 'x' and 'n' in 'idx'
[[spmd::global]] Tensor
both([[spmd::type("f32[B@dp, S]{tp: R}")]] Tensor x,
     [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx) {
  return x.index({Slice(), idx});
}

// The result has the dims that PyTorch gives it: at the place of the index,
// or, of two that stand apart, in front.
// CHECK: indexing.cpp:[[#@LINE+5]]:10: error: 'softmax' needs 'n' whole, but 'dp' shards it in 'picked'
[[spmd::global]] Tensor
in_place([[spmd::type("f32[4, 8, S, H@tp]{dp: R}")]] Tensor x,
         [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx) {
  Tensor picked = x.index({0, Slice(1, 3), Ellipsis, None, idx, Slice()});
  return at::softmax(picked, 2);
}

// CHECK: indexing.cpp:[[#@LINE+6]]:10: error: 'softmax' needs 'n' whole, but 'dp' shards it in 'picked'
[[spmd::global]] Tensor
in_front([[spmd::type("f32[V, S, W]{dp: R, tp: R}")]] Tensor x,
         [[spmd::type("i64[N@dp]{tp: R}")]] Tensor i,
         [[spmd::type("i64[N@dp]{tp: R}")]] Tensor j) {
  Tensor picked = x.index({i, Slice(), j});
  return at::softmax(picked, 0);
}

// CHECK: indexing.cpp:[[#@LINE+5]]:3: error: 'index_put' needs 'n' whole, but 'dp' shards it in 'idx'
[[spmd::global]] void
own_rows([[spmd::type("f32[V, H]{dp: R, tp: R}")]] Tensor table,
         [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx,
         [[spmd::type("f32[N@dp, H]{tp: R}")]] Tensor rows) {
  table.index_put_({idx}, rows);
}

// CHECK: indexing.cpp:[[#@LINE+5]]:3: error: 'h' is sharded on 'tp' in 'table', but not in 'rows': 'index_put' would combine different parts of it
[[spmd::global]] void
other_columns([[spmd::type("f32[V, H@tp]{dp: R}")]] Tensor table,
              [[spmd::type("i64[N]{dp: R, tp: R}")]] Tensor idx,
              [[spmd::type("f32[N, H]{dp: R, tp: R}")]] Tensor rows) {
  table.index_put_({idx}, rows);
}

// CHECK: indexing.cpp:[[#@LINE+5]]:3: error: 'b' is sharded on 'dp' in 'cache', but not in 'x': 'copy_' would combine different parts of it
[[spmd::global]] void
copied([[spmd::type("f32[B@dp, H]{tp: R}")]] Tensor cache,
       [[spmd::type("f32[B, H@dp]{tp: R}")]] Tensor x) {
  // The types are alike, the parts are not.
  cache.copy_(x);
}

// CHECK: indexing.cpp:[[#@LINE+4]]:3: error: 'copy_' takes 'h' of 'cache' and of 'x' for the same, but they are [B@dp, H] and [B@dp, D]
[[spmd::global]] void
other_size([[spmd::type("f32[B@dp, H]{tp: R}")]] Tensor cache,
           [[spmd::type("f32[B@dp, D]{tp: R}")]] Tensor x) {
  cache.copy_(x);
}

// What a number leaves of a tensor has no name of its own, and no text that a
// fix could change.
// CHECK: indexing.cpp:[[#@LINE+5]]:10: error: 'index' needs 'v' whole, but 'tp' shards it in this value: each rank would look at its part alone
// CHECK-NOT: all_gather(stacked.index
[[spmd::global]] Tensor
of_part([[spmd::type("f32[4, V@tp, H]{dp: R}")]] Tensor stacked,
        [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx) {
  return stacked.index({0, idx});
}

// CHECK-NOT: error:
// A mask leaves as many as there are, and nobody knows what an index without a
// type is.
[[spmd::global]] Tensor masked([[spmd::type("f32[B@dp, S]{tp: R}")]] Tensor x,
                               [[spmd::type("bool[B@dp]{tp: R}")]] Tensor mask,
                               Tensor unknown) {
  return at::softmax(x.index({mask}), 0) + at::softmax(x.index({unknown}), 0) +
         at::softmax(x.index({mask, 0}), 0) +
         at::softmax(x.index({Ellipsis, Slice(0, 1), unknown}), 0);
}

[[spmd::global]] [[spmd::type("f32[N@dp, H@tp]")]] Tensor
right([[spmd::type("f32[V, H@tp]{dp: R}")]] Tensor table,
      [[spmd::type("i64[N@dp]{tp: R}")]] Tensor idx,
      [[spmd::type("i64[K]{dp: R, tp: R}")]] Tensor all,
      [[spmd::type("f32[K, H@tp]{dp: R}")]] Tensor rows) {
  table.index_put_({all}, rows);
  table.index_put_({all.view({-1}), Slice()}, 0.5);
  table.index_put_({Slice(0, 2)}, rows.index({0}));
  Tensor back = at::empty_like(table);
  back.copy_(table);
  back.t().copy_(table.t());
  Tensor twice = table.index({idx.unsqueeze(0), Slice()}).squeeze(0);
  return back.index({idx}) + twice;
}

} // namespace trainer
