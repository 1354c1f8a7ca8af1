// Positions begin at 0 on every rank: numbers that count as many as a rank has of
// a sequence, and the first rows of a table, are no part of those of the whole.
//
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
struct Model {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("f32[1024, D]{tp: R}")]] at::Tensor wpe;
  [[spmd::type("f32[1, 1024, D]{tp: R}")]] at::Tensor pos;
  [[spmd::type("f32[1024, D]{tp: R}")]] at::Tensor pos2;

  [[spmd::global]] at::Tensor first([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'pos.slice(1, 0, x.size(1))': 'add' would combine different parts of it, and 'pos.slice(1, 0, x.size(1))' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + pos.slice(1, 0, x.size(1));
  }
  [[spmd::global]] at::Tensor rows([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'pos2.slice(0, 0, x.size(1))': 'add' would combine different parts of it, and 'pos2.slice(0, 0, x.size(1))' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + pos2.slice(0, 0, x.size(1));
  }
  [[spmd::global]] at::Tensor looked([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in this value: 'add' would combine different parts of it, and this value is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + at::embedding(wpe, at::arange(x.size(1)));
  }
  [[spmd::global]] at::Tensor named([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    auto p = torch::arange(0, t, torch::kLong);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'torch::embedding(wpe, p)': 'add' would combine different parts of it, and 'torch::embedding(wpe, p)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor selected([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    auto p = torch::arange(t, torch::kLong);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'wpe.index_select(0, p)': 'add' would combine different parts of it, and 'wpe.index_select(0, p)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + wpe.index_select(0, p);
  }
  [[spmd::global]] at::Tensor inRows([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    auto p = torch::arange(t, torch::kLong).unsqueeze(0);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'torch::embedding(wpe, p)': 'add' would combine different parts of it, and 'torch::embedding(wpe, p)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor ofTokens([[spmd::type("i64[B, S@tp]")]] at::Tensor tok, [[spmd::type("f32[V, D]{tp: R}")]] at::Tensor wte) {
    auto x = torch::embedding(wte, tok);
    auto p = torch::arange(tok.size(1), torch::kLong);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'torch::embedding(wpe, p)': 'add' would combine different parts of it, and 'torch::embedding(wpe, p)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor expanded([[spmd::type("i64[B, S@tp]")]] at::Tensor tok, [[spmd::type("f32[V, D]{tp: R}")]] at::Tensor wte) {
    auto x = torch::embedding(wte, tok);
    auto p = torch::arange(tok.size(1), torch::kLong).expand({tok.size(0), tok.size(1)});
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'torch::embedding(wpe, p)': 'add' would combine different parts of it, and 'torch::embedding(wpe, p)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor narrowed([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'tp' in 'x', but not in 'wpe.narrow(0, 0, x.size(1)).unsqueeze(0)': 'add' would combine different parts of it, and 'wpe.narrow(0, 0, x.size(1)).unsqueeze(0)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + wpe.narrow(0, 0, x.size(1)).unsqueeze(0);
  }

  //===--- Right ----------------------------------------------------------===//

  [[spmd::global]] at::Tensor otherDim([[spmd::type("f32[B, S, D@tp]")]] at::Tensor x, [[spmd::type("f32[1024, D@tp]")]] at::Tensor wpe2) {
    return x + torch::embedding(wpe2, torch::arange(x.size(1)));
  }
  [[spmd::global]] at::Tensor ofSamples([[spmd::type("f32[B@tp, S, D]")]] at::Tensor x) {
    return x + torch::embedding(wpe, torch::arange(x.size(1)));
  }
  [[spmd::global]] at::Tensor firstOfSamples([[spmd::type("f32[B@tp, S, D]")]] at::Tensor x) {
    return x + pos.slice(1, 0, x.size(1));
  }
  [[spmd::global]] at::Tensor fromRank([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    auto p = torch::arange(tp.rank() * t, (tp.rank() + 1) * t);
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor shifted([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    auto p = torch::arange(t) + tp.rank() * t;
    return x + torch::embedding(wpe, p);
  }
  [[spmd::global]] at::Tensor ownRows([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto t = x.size(1);
    return x + wpe.slice(0, tp.rank() * t, (tp.rank() + 1) * t);
  }
  [[spmd::global]] at::Tensor cut([[spmd::type("f32[B, S@tp, D]")]] at::Tensor x) {
    auto all = torch::arange(x.size(1) * tp.size());
    auto p = spmd::convert(all, tp, spmd::R, spmd::S(0));
    return x + torch::embedding(wpe, p);
  }
};
