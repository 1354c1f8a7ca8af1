// Right global code of all sorts: nothing may be said of it.
// RUN: %spmd-tidy %s -- %stubs | count 0

#include <spmd/torch.h>
#include <torch/torch.h>
#include <tuple>
#include <vector>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

[[spmd::global]] [[spmd::type("[B@dp, S, H]{tp: R}")]] Tensor
attention([[spmd::type("[B@dp, S, H]{tp: R}")]] Tensor x,
          [[spmd::type("[H@tp, H]{dp: R}")]] Tensor wq,
          [[spmd::type("[H@tp, H]{dp: R}")]] Tensor wk,
          [[spmd::type("[H@tp, H]{dp: R}")]] Tensor wv,
          [[spmd::type("[H, H@tp]{dp: R}")]] Tensor wo, int64_t head_dim) {
  const int64_t B = x.size(0), S = x.size(1);
  auto split = [&](const Tensor &t) {
    return t.view({B, S, -1, head_dim}).transpose(1, 2);
  };
  Tensor q = at::linear(x, wq).view({B, S, -1, head_dim}).transpose(1, 2);
  Tensor k = split(at::linear(x, wk));
  Tensor v = at::linear(x, wv).view({B, S, -1, head_dim}).permute({0, 2, 1, 3});
  Tensor o = at::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
  o = o.transpose(1, 2).contiguous().view({B, S, -1});
  return spmd::all_reduce(spmd::out_partial(at::linear(o, wo), tp), tp, spmd::P,
                          spmd::R);
}

[[spmd::global]] Tensor by_hand([[spmd::type("[B@dp, N@tp, S, D]")]] Tensor q,
                                [[spmd::type("[B@dp, N@tp, S, D]")]] Tensor k,
                                [[spmd::type("[B@dp, N@tp, S, D]")]] Tensor v) {
  Tensor scores = at::matmul(q, k.transpose(-2, -1)) / 8.0;
  Tensor mask = at::ones({q.size(2), q.size(2)}).tril();
  scores = scores.masked_fill(mask == 0, -1e9);
  Tensor p = at::softmax(scores, -1);
  Tensor o = at::einsum("bhst,bhtd->bshd", {p, v});
  return o.flatten(2);
}

[[spmd::global]] Tensor flat_mlp([[spmd::type("[B@dp, S, H]{tp: R}")]] Tensor x,
                                 [[spmd::type("[H, F@tp]{dp: R}")]] Tensor w1,
                                 [[spmd::type("[F@tp]{dp: R}")]] Tensor b1,
                                 [[spmd::type("[F@tp, H]{dp: R}")]] Tensor w2) {
  Tensor flat = x.reshape({-1, x.size(-1)});
  Tensor h = at::gelu(at::addmm(b1, flat, w1));
  Tensor y = spmd::all_reduce(spmd::out_partial(at::matmul(h, w2), tp), tp,
                              spmd::P, spmd::R);
  return y.view({x.size(0), x.size(1), -1}) + x;
}

[[spmd::global]] Tensor norms([[spmd::type("[B@dp, S@tp, H]")]] Tensor x,
                              [[spmd::type("[H]{dp: R, tp: R}")]] Tensor w) {
  Tensor mean = x.mean({-1}, true);
  Tensor y = (x - mean) * w;
  Tensor z = at::layer_norm(x, {x.size(-1)}, w, w);
  y.add_(z).mul_(2.0);
  return y / y.norm(2, {-1}, true);
}

[[spmd::global]] Tensor
elements([[spmd::type("[B@dp, S, 12]{tp: R}")]] Tensor x,
         [[spmd::type("[B@dp, S, 4]{tp: R}")]] Tensor y) {
  auto parts = x.chunk(3, -1);
  Tensor sum = parts[0] + parts[1] * y;
  Tensor joined = at::cat({sum, parts[2]}, -1);
  std::vector<Tensor> all;
  for (const Tensor &p : parts)
    all.push_back(p * 2);
  Tensor again = at::cat(all, -1) + x;
  Tensor stacked = at::stack({y, y}, 1).sum(1) + y;
  auto [values, indices] = x.max(-1);
  Tensor picked = at::gather(x, -1, indices.unsqueeze(-1));
  return again.narrow(-1, 0, 8) + joined + at::cat({stacked, y}, -1) + picked;
}

[[spmd::global]] void written([[spmd::type("[B@dp, S]{tp: R}")]] Tensor &x,
                              [[spmd::type("[S, B@dp]{tp: R}")]] Tensor y) {
  x.t().copy_(y);
  x.view({-1}).mul_(2.0);
  x.zero_();
  x.select(1, 0).fill_(1.0);
  x.copy_(y.t());
  Tensor buffer = at::empty({4, 4});
  buffer.copy_(x);
  x.add_(y.t(), 2);
}

[[spmd::global]] Tensor made([[spmd::type("[B@dp, S]{tp: R}")]] Tensor x) {
  Tensor zeros = at::zeros({x.size(0), x.size(1)});
  Tensor rows = at::arange(x.size(1)).unsqueeze(0).expand({x.size(0), -1});
  Tensor noise = at::randn_like(x);
  Tensor masked = at::where(rows > 3, x, at::zeros_like(x));
  return x + zeros + rows * masked + noise;
}

// A mesh of one rank shards nothing.
[[spmd::mesh("pp=1, dp=2, tp=2")]] [[spmd::global]] Tensor
single([[spmd::type("[B@dp, K@pp]{tp: R}")]] Tensor x,
       [[spmd::type("[K, N@tp]{dp: R, pp: R}")]] Tensor w) {
  return at::matmul(at::softmax(x, -1), w);
}

// What takes all that a rank has of a dim leaves its shards alone.
[[spmd::global]] Tensor all_of([[spmd::type("[B@dp, S, H@tp]")]] Tensor x) {
  Tensor y = x.slice(2, 0, x.size(2)) + x.narrow(0, 0, x.size(0));
  const int64_t rows = x.size(0);
  using at::indexing::Slice;
  return x.split(x.size(2), 2)[0] + y.slice(0, 0, rows) +
         x.index({Slice(0, x.size(0)), Slice()});
}
