// A layer in parts, methods of a class with its weights as fields and a function that is given them, gets what the one in
// megatron.cpp gets, and what its parts say is written too.
// RUN: rm -rf %t && mkdir %t && cp %s %t/layer.cpp
// RUN: printf 'root: true\nMesh: {dp: {size: 8, bandwidth: 25GB/s}, tp: {size: 8, bandwidth: 300GB/s}}\nDevice: {accumulate: 8}\nSizes: {B: 8, S: 2048, H: 12288}\n' > %t/.spmd-tidy
// RUN: cd %t && %spmd-tidy --suggest-sharding layer.cpp -- %stubs | FileCheck %s
// RUN: cd %t && %spmd-tidy --suggest-sharding --fix layer.cpp -- %stubs > written.txt
// RUN: FileCheck %s --check-prefix=FIXED < %t/layer.cpp
// RUN: cp %t/layer.cpp %t/fixed.cpp
// RUN: cd %t && %spmd-tidy --autoshard layer.cpp -- %stubs | count 0
// RUN: cd %t && %spmd-tidy --strict layer.cpp -- %stubs | count 0
// RUN: diff %t/fixed.cpp %t/layer.cpp
// RUN: cd %t && %spmd-tidy --suggest-sharding --fix-dry-run layer.cpp -- %stubs | count 0

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

struct Attention {
  [[spmd::type("bf16[H, 3*H]")]] at::Tensor qkv;
  [[spmd::type("bf16[H, H]")]] at::Tensor out;

  at::Tensor forward(const at::Tensor &h) const {
    at::Tensor p = at::matmul(h, qkv);
    at::Tensor heads = p.view({p.size(0), p.size(1), -1, 3, 128}).permute({3, 0, 2, 1, 4});
    at::Tensor q = heads.select(0, 0), k = heads.select(0, 1), v = heads.select(0, 2);
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) / 11.3;
    at::Tensor future = at::ones({q.size(2), q.size(2)}).triu(1);
    at::Tensor probs = at::softmax(scores.masked_fill(future == 1, -1e9), -1);
    at::Tensor context = at::matmul(probs, v).transpose(1, 2).flatten(2);
    return at::dropout(at::matmul(context, out), 0.1, true);
  }
};

[[spmd::global]] at::Tensor mlp([[spmd::type("bf16[B, S, H]")]] const at::Tensor &h,
               [[spmd::type("bf16[H, 4*H]")]] const at::Tensor &up,
               [[spmd::type("bf16[4*H, H]")]] const at::Tensor &down) {
  at::Tensor z = at::matmul(at::gelu(at::matmul(h, up)), down);
  return at::dropout(z, 0.1, true);
}

struct Layer {
  [[spmd::type("bf16[H]")]] at::Tensor norm1, norm1_bias;
  Attention attention;
  [[spmd::type("bf16[H]")]] at::Tensor norm2, norm2_bias;
  [[spmd::type("bf16[H, 4*H]")]] at::Tensor up;
  [[spmd::type("bf16[4*H, H]")]] at::Tensor down;

  [[spmd::global]] [[spmd::type("bf16[B, S, H]")]] at::Tensor
  forward([[spmd::type("bf16[B, S, H]")]] const at::Tensor &x) const {
    at::Tensor y = x + attention.forward(at::layer_norm(x, {x.size(-1)}, norm1, norm1_bias));
    return y + mlp(at::layer_norm(y, {y.size(-1)}, norm2, norm2_bias), up, down);
  }
};

// CHECK: layer.cpp:[[#]]:33: 'Layer::forward' on dp=8, tp=8
// CHECK-NEXT: x           bf16[B@dp, S@tp, H]
// CHECK-NEXT: norm1       bf16[H]{dp: R, tp: R}
// CHECK-NEXT: norm1_bias  bf16[H]{dp: R, tp: R}
// CHECK-NEXT: qkv         bf16[H, 3*H@tp]{dp: R}
// CHECK-NEXT: out         bf16[H@tp, H]{dp: R}
// CHECK: mlp: h      bf16[B@dp, S, H]{tp: R}
// CHECK-NEXT: mlp: up     bf16[H, 4*H@tp]{dp: R}
// CHECK-NEXT: mlp: down   bf16[4*H@tp, H]{dp: R}
// CHECK-NEXT: result      bf16[B@dp, S@tp, H]
// CHECK: suggested: 9.10 ms, 3.67 times as fast
// CHECK-NEXT: exact: yes

// FIXED: at::dropout(spmd::reduce_scatter(spmd::out_partial(at::matmul(context, out), tp), tp, spmd::P, spmd::S(1)), 0.1, true);
// FIXED: mlp({{\[\[}}spmd::type("bf16[B@dp, S, H]{tp: R}")]] const at::Tensor &h,
// FIXED: at::Tensor z = spmd::reduce_scatter(spmd::out_partial(at::matmul(at::gelu(at::matmul(h, up)), down), tp), tp, spmd::P, spmd::S(1));
// FIXED: return y + mlp(spmd::all_gather(at::layer_norm(y, {y.size(-1)}, norm2, norm2_bias), tp, spmd::S(1), spmd::R), up, down);
