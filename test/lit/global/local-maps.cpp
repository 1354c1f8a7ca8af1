// spmd::local_map types the lambda that it is given.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:"

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

// Each rank's rows are its own: softmax along a sharded dim is right in it.
[[spmd::global]] [[spmd::type("f32[B@dp, H@tp]")]] at::Tensor
right([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x, [[spmd::type("f32[B@dp, H@tp]")]] at::Tensor w) {
  auto own = spmd::local_map([&](at::Tensor y) { return torch::softmax(y, -1) * w; },
                             {"f32[B@dp, H@tp]"}, {"f32[B@dp, H@tp]"});
  return own(x) + spmd::local_map([](at::Tensor y) { return torch::relu(y); },
                                  {"f32[B@dp, H@tp]"}, {"f32[B@dp, H@tp]"})(x);
}

[[spmd::global]] at::Tensor
operand([[spmd::type("f32[B@dp, H]{tp: R}")]] at::Tensor x) {
  auto own = spmd::local_map([](at::Tensor y) { return torch::relu(y); },
                             {"f32[B@dp, H@tp]"}, {"f32[B@dp, H@tp]"});
  // CHECK: local-maps.cpp:[[#@LINE+2]]:10: error: the argument for 'y' must be S(1) on 'tp', but 'x' is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
  // CHECK: local-maps.cpp:[[#@LINE-2]]:31: note: declared to be S(1) on 'tp' here
  return own(x);
}

[[spmd::global]] at::Tensor
result([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  at::Tensor sum = spmd::local_map([](at::Tensor y) { return spmd::out_partial(y.sum(-1), tp); },
                                   {"f32[B@dp, H@tp]"}, {"f32[B@dp]{tp: P}"})(x);
  // CHECK: local-maps.cpp:[[#@LINE+1]]:10: error: 'sum' is P on 'tp'{{.*}} [spmd-partial-nonlinear]
  return torch::relu(sum);
}

// The body is local code with the types of the specs.
[[spmd::global]] at::Tensor
body([[spmd::type("f32[B@dp, H]{tp: P}")]] at::Tensor x) {
  auto own = spmd::local_map(
      [](at::Tensor y) {
        // CHECK: local-maps.cpp:[[#@LINE+1]]:16: error: 'y' is P on 'tp'{{.*}} [spmd-partial-nonlinear]
        return torch::relu(y);
      },
      {"f32[B@dp, H]{tp: P}"}, {"f32[B@dp, H]{tp: P}"});
  return own(x);
}

[[spmd::global]] at::Tensor
promise([[spmd::type("f32[B@dp, H]{tp: R}")]] at::Tensor x) {
  // CHECK: local-maps.cpp:[[#@LINE+1]]:49: error: the value returned from 'lambda' must be S(1) on 'tp', but {{.*}} is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
  auto own = spmd::local_map([](at::Tensor y) { return torch::relu(y); },
                             {"f32[B@dp, H]{tp: R}"}, {"f32[B@dp, H@tp]"});
  return own(x);
}

void wrong(at::Tensor x) {
  // CHECK: local-maps.cpp:[[#@LINE+2]]:30: error: local_map has 2 types for 1 parameter: its signature is its contract [spmd-annotation]
  auto two = spmd::local_map([](at::Tensor y) { return y; },
                             {"tp: R", "tp: R"}, {"tp: R"});
  // CHECK: local-maps.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: expected {{.*}} [spmd-annotation]
  auto bad = spmd::local_map([](at::Tensor y) { return y; }, {"tp R"}, {"tp: R"});
}
