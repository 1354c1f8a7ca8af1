// A transformer layer at the sizes of GPT-3, on eight nodes of eight devices, gets what Megatron-LM does by hand: products
// into heads and MLP by columns, those out of them by rows, the residual stream and the norms along the sequence.
// RUN: rm -rf %t && mkdir %t && cp %s %t/layer.cpp
// RUN: printf 'root: true\nMesh: {dp: {size: 8, bandwidth: 25GB/s}, tp: {size: 8, bandwidth: 300GB/s}}\nDevice: {accumulate: 8}\nSizes: {B: 8, S: 2048, H: 12288}\n' > %t/.spmd-tidy
// RUN: cd %t && %spmd-tidy --suggest-sharding layer.cpp -- %stubs | FileCheck %s
// RUN: cd %t && %spmd-tidy --suggest-sharding --format=json layer.cpp -- %stubs | FileCheck %s --check-prefix=JSON

// What --fix writes lints clean, leaves nothing to --autoshard, and is what would be suggested again.
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

struct Layer {
  [[spmd::type("bf16[H]")]] at::Tensor norm1, norm1_bias;
  [[spmd::type("bf16[H, 3*H]")]] at::Tensor qkv;
  [[spmd::type("bf16[H, H]")]] at::Tensor out;
  [[spmd::type("bf16[H]")]] at::Tensor norm2, norm2_bias;
  [[spmd::type("bf16[H, 4*H]")]] at::Tensor up;
  [[spmd::type("bf16[4*H, H]")]] at::Tensor down;

  [[spmd::global]] [[spmd::type("bf16[B, S, H]")]] at::Tensor
  forward([[spmd::type("bf16[B, S, H]")]] const at::Tensor &x) const {
    at::Tensor h = at::layer_norm(x, {x.size(-1)}, norm1, norm1_bias);
    at::Tensor p = at::matmul(h, qkv);
    at::Tensor heads = p.view({p.size(0), p.size(1), -1, 3, 128}).permute({3, 0, 2, 1, 4});
    at::Tensor q = heads.select(0, 0), k = heads.select(0, 1), v = heads.select(0, 2);
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) / 11.3;
    at::Tensor future = at::ones({q.size(2), q.size(2)}).triu(1);
    at::Tensor probs = at::softmax(scores.masked_fill(future == 1, -1e9), -1);
    at::Tensor context = at::matmul(probs, v).transpose(1, 2).flatten(2);
    at::Tensor y = x + at::dropout(at::matmul(context, out), 0.1, true);
    at::Tensor h2 = at::layer_norm(y, {y.size(-1)}, norm2, norm2_bias);
    at::Tensor z = at::matmul(at::gelu(at::matmul(h2, up)), down);
    return y + at::dropout(z, 0.1, true);
  }
};

// CHECK: layer.cpp:[[#]]:33: 'Layer::forward' on dp=8, tp=8
// CHECK-NEXT: x           bf16[B@dp, S@tp, H]
// CHECK-NEXT: norm1       bf16[H]{dp: R, tp: R}
// CHECK-NEXT: norm1_bias  bf16[H]{dp: R, tp: R}
// CHECK-NEXT: qkv         bf16[H, 3*H@tp]{dp: R}
// CHECK-NEXT: out         bf16[H@tp, H]{dp: R}
// CHECK-NEXT: norm2       bf16[H]{dp: R, tp: R}
// CHECK-NEXT: norm2_bias  bf16[H]{dp: R, tp: R}
// CHECK-NEXT: up          bf16[H, 4*H@tp]{dp: R}
// CHECK-NEXT: down        bf16[4*H@tp, H]{dp: R}
// CHECK-NEXT: result      bf16[B@dp, S@tp, H]
// CHECK-NEXT: redistributions:
// CHECK-NEXT: layer.cpp:34:31: 'h' [8@dp, 2048@tp, 12288] -> [8@dp, 2048, 12288]{tp: R}
// CHECK-NEXT: forward: all_gather over tp, 44.0 MB per rank, 157 us
// CHECK-NEXT: backward: reduce_scatter over tp, 44.0 MB per rank, 157 us
// CHECK-NEXT: layer.cpp:41:36: 'matmul' [8@dp, 2048, 12288]{tp: P} -> [8@dp, 2048@tp, 12288]
// CHECK-NEXT: forward: reduce_scatter over tp, 44.0 MB per rank, 157 us
// CHECK-NEXT: backward: all_gather over tp, 44.0 MB per rank, 157 us
// CHECK: gradients:
// CHECK: 'norm1' [H]{dp: P, tp: P} -> [H]
// CHECK: 'qkv' [H, 3*H@tp]{dp: P} -> [H, 3*H@tp]
// CHECK-NEXT: all_reduce over dp, 198 MB per rank, 7.94 ms
// CHECK: time per rank:
// CHECK-NEXT: compute communication total
// CHECK-NEXT: forward 1.25 ms 627 us 1.88 ms
// CHECK-NEXT: backward 2.62 ms 4.60 ms 7.22 ms
// CHECK-NEXT: memory per rank: 4.25 GB
// CHECK-NEXT: data parallel only, 'B' on tp: 33.4 ms (2.65 ms of it communication), memory 33.3 GB
// CHECK-NEXT: suggested: 9.10 ms, 3.67 times as fast
// CHECK-NEXT: exact: yes

// JSON: "version": 1,
// JSON: "suggestions": [
// JSON: "dataParallel": {
// JSON: "axes": "tp",
// JSON: "exact": true,
// JSON: "file": "{{.*}}layer.cpp",
// JSON: "function": "Layer::forward",
// JSON: "kind": "redistribution",
// JSON: "name": "h",
// JSON: "name": "result",
// JSON: "type": "bf16[B@dp, S@tp, H]",
// JSON-NEXT: "was": "bf16[B, S, H]"

// FIXED: {{^ *\[\[}}spmd::type("bf16[H]{dp: R, tp: R}")]] at::Tensor norm1, norm1_bias;
// FIXED-NEXT: {{\[\[}}spmd::type("bf16[H, 3*H@tp]{dp: R}")]] at::Tensor qkv;
// FIXED-NEXT: {{\[\[}}spmd::type("bf16[H@tp, H]{dp: R}")]] at::Tensor out;
// FIXED: {{\[\[}}spmd::global]] {{\[\[}}spmd::type("bf16[B@dp, S@tp, H]")]] at::Tensor
// FIXED-NEXT: forward({{\[\[}}spmd::type("bf16[B@dp, S@tp, H]")]] const at::Tensor &x) const {
// FIXED-NEXT: at::Tensor h = spmd::all_gather(at::layer_norm(x, {x.size(-1)}, norm1, norm1_bias), tp, spmd::S(1), spmd::R);
// FIXED: at::dropout(spmd::reduce_scatter(spmd::out_partial(at::matmul(context, out), tp), tp, spmd::P, spmd::S(1)), 0.1, true);
// FIXED: at::Tensor z = spmd::reduce_scatter(spmd::out_partial(at::matmul(at::gelu(at::matmul(h2, up)), down), tp), tp, spmd::P, spmd::S(1));
