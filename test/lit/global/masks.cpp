// A triangle of ones begins anew on every rank: masks that are as long as a rank's
// part of a sequence are no part of the mask of the whole. Zeros and ones alone are
// a part of any.
//
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;
struct Attention {
  [[spmd::axis("cp")]] spmd::Axis cp;
  [[spmd::type("f32[M, M]{cp: R}")]] Tensor bias;

  [[spmd::global]] Tensor lower([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2);
    auto mask = torch::tril(torch::ones({t, scores.size(3)}));
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'mask == 0': 'masked_fill' would combine different parts of it, and 'mask == 0' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores.masked_fill(mask == 0, -1e9);
  }
  [[spmd::global]] Tensor upper([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    auto mask = torch::triu(torch::full({t, s}, -1e9), 1);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'mask': 'add' would combine different parts of it, and 'mask' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores + mask;
  }
  [[spmd::global]] Tensor chosen([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    auto mask = torch::ones({t, s}, torch::kBool).tril().view({1, 1, t, s});
    // CHECK: [[#@LINE+1]]:12: error: 'i' is sharded on 'cp' in 'scores', but not in 'mask': 'where' would combine different parts of it, and 'mask' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return torch::where(mask, scores, torch::full({}, -1e9));
  }
  [[spmd::global]] Tensor filled([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    auto mask = torch::zeros({t, s}).masked_fill(torch::ones({t, s}).triu(1).to(torch::kBool), -1e9);
    // CHECK: [[#@LINE+1]]:27: error: 's' is sharded on 'cp' in 'scores', but not in 'mask': 'add' would combine different parts of it, and 'mask' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return torch::softmax(scores + mask, -1);
  }
  [[spmd::global]] Tensor inPlace([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto mask = torch::full({scores.size(2), scores.size(3)}, -1e9);
    mask.triu_(1);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'mask.unsqueeze(0).unsqueeze(0)': 'add' would combine different parts of it, and 'mask.unsqueeze(0).unsqueeze(0)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores + mask.unsqueeze(0).unsqueeze(0);
  }
  [[spmd::global]] Tensor attended([[spmd::type("f32[B, H, S@cp, D]")]] Tensor q, [[spmd::type("f32[B, H, S, D]{cp: R}")]] Tensor k, [[spmd::type("f32[B, H, S, D]{cp: R}")]] Tensor v) {
    auto mask = torch::ones({q.size(2), k.size(2)}, torch::kBool).tril();
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'q', but not in 'mask': 'scaled_dot_product_attention' would combine different parts of it, and 'mask' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return at::scaled_dot_product_attention(q, k, v, mask);
  }
  [[spmd::global]] Tensor counted([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto r = torch::arange(scores.size(2)).unsqueeze(1);
    auto c = torch::arange(scores.size(3)).unsqueeze(0);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'c > r': 'masked_fill' would combine different parts of it, and 'c > r' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores.masked_fill(c > r, -1e9);
  }
  [[spmd::global]] Tensor buffer([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'bias.slice(0, 0, t).slice(1, 0, s)': 'add' would combine different parts of it, and 'bias.slice(0, 0, t).slice(1, 0, s)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores + bias.slice(0, 0, t).slice(1, 0, s);
  }
  [[spmd::global]] Tensor squared([[spmd::type("f32[B, H, S@cp, D]")]] Tensor q, [[spmd::type("f32[B, H, S, D]{cp: R}")]] Tensor k) {
    auto t = q.size(2);
    auto scores = at::matmul(q, k.transpose(-2, -1));
    auto mask = torch::tril(torch::ones({t, k.size(2)}));
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'scores', but not in 'mask.eq(0)': 'masked_fill' would combine different parts of it, and 'mask.eq(0)' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return scores.masked_fill(mask.eq(0), -1e9).softmax(-1);
  }
  [[spmd::global]] Tensor identity([[spmd::type("f32[S@cp, S]")]] Tensor x) {
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'x', but not in 'torch::eye(x.size(0), x.size(1))': 'add' would combine different parts of it, and 'torch::eye(x.size(0), x.size(1))' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x + torch::eye(x.size(0), x.size(1));
  }
  [[spmd::global]] Tensor ramp([[spmd::type("f32[B, S@cp, D]")]] Tensor x) {
    auto w = torch::linspace(0, 1, x.size(1));
    // CHECK: [[#@LINE+1]]:12: error: 's' is sharded on 'cp' in 'x', but not in 'w.view({1, -1, 1})': 'mul' would combine different parts of it, and 'w.view({1, -1, 1})' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
    return x * w.view({1, -1, 1});
  }

  //===--- Right ----------------------------------------------------------===//

  [[spmd::global]] Tensor rampOfAll([[spmd::type("f32[B@cp, S, D]")]] Tensor x) {
    auto w = torch::linspace(0, 1, x.size(1));
    return x * w.view({1, -1, 1});
  }
  [[spmd::global]] Tensor identityOfAll([[spmd::type("f32[B@cp, S, S]")]] Tensor x) {
    return x + torch::eye(x.size(1));
  }
  [[spmd::global]] Tensor shifted([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    auto mask = torch::tril(torch::ones({t, s}), cp.rank() * t);
    return scores.masked_fill(mask == 0, -1e9);
  }
  [[spmd::global]] Tensor ofHeads([[spmd::type("f32[B, H@cp, S, S]")]] Tensor scores) {
    auto t = scores.size(2);
    auto mask = torch::tril(torch::ones({t, t}));
    return scores.masked_fill(mask == 0, -1e9).softmax(-1);
  }
  [[spmd::global]] Tensor ofHeadsInPlace([[spmd::type("f32[B, H@cp, S, S]")]] Tensor scores) {
    auto mask = torch::full({scores.size(2), scores.size(3)}, -1e9);
    mask.triu_(1);
    return scores + mask.view({1, 1, scores.size(2), scores.size(3)});
  }
  [[spmd::global]] Tensor ofBatch([[spmd::type("f32[B@cp, H, S, D]")]] Tensor q, [[spmd::type("f32[B@cp, H, S, D]")]] Tensor k, [[spmd::type("f32[B@cp, H, S, D]")]] Tensor v) {
    auto mask = torch::ones({q.size(2), k.size(2)}, torch::kBool).tril();
    return at::scaled_dot_product_attention(q, k, v, mask);
  }
  [[spmd::global]] Tensor cut([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2), s = scores.size(3);
    auto mask = torch::tril(torch::ones({s, s}));
    return scores.masked_fill(mask.narrow(0, cp.rank() * t, t) == 0, -1e9);
  }
  [[spmd::global]] Tensor converted([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto s = scores.size(3);
    auto mask = spmd::convert(torch::tril(torch::ones({s, s})), cp, spmd::R, spmd::S(0));
    return scores.masked_fill(mask == 0, -1e9);
  }
  [[spmd::global]] Tensor countedFromRank([[spmd::type("f32[B, H, S@cp, S]")]] Tensor scores) {
    auto t = scores.size(2);
    auto r = (torch::arange(t) + cp.rank() * t).unsqueeze(1);
    auto c = torch::arange(scores.size(3)).unsqueeze(0);
    return scores.masked_fill(c > r, -1e9);
  }
  [[spmd::global]] Tensor zerosAdded([[spmd::type("f32[B, S@cp, D]")]] Tensor x) {
    return x + torch::zeros({x.size(1), x.size(2)});
  }
  [[spmd::global]] Tensor padded([[spmd::type("f32[B, S@cp, D]")]] Tensor x) {
    auto keep = torch::ones({x.size(0), x.size(1), 1});
    return x * keep;
  }
  [[spmd::global]] Tensor state([[spmd::type("f32[B@cp, S, D]")]] Tensor x) {
    auto h = torch::zeros({x.size(0), x.size(2)});
    for (int i = 0; i < 4; ++i)
      h = torch::tanh(h + x.select(1, i));
    return h;
  }
  [[spmd::global]] Tensor onehot([[spmd::type("i64[B@cp]")]] Tensor y, [[spmd::type("f32[B@cp, C]")]] Tensor p) {
    auto t = torch::zeros({p.size(0), p.size(1)});
    t.scatter_(1, y.unsqueeze(1), 1.0);
    return p - t;
  }
  [[spmd::global]] Tensor normedZeros([[spmd::type("f32[B@cp, C]")]] Tensor p) {
    auto t = torch::ones({p.size(0), p.size(1)}).softmax(1);
    return p * t;
  }
};
