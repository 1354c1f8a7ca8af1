// A split of a layer is of its weight: a bias without that dim is whole, as R or
// as I.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

struct Row {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(1)")]] torch::nn::Linear down{nullptr};
  [[spmd::type("tp: S(-1)")]] torch::nn::Linear last{nullptr};

  [[spmd::type("tp: I")]] Tensor
  invariant([[spmd::type("tp: S(1)")]] Tensor h) {
    return spmd::all_reduce(
               spmd::out_partial(torch::matmul(h, down->weight.t()), tp), tp,
               spmd::P, spmd::I) +
           down->bias;
  }
  [[spmd::type("tp: R")]] Tensor
  replicate([[spmd::type("tp: S(1)")]] Tensor h) {
    return spmd::all_reduce(
               spmd::out_partial(torch::matmul(h, last->weight.t()), tp), tp,
               spmd::P, spmd::R) +
           last->bias;
  }
  Tensor tooEarly([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:30: error: 'down.bias' is added to 'torch::matmul(h, down->weight.t())', which is each rank's term of a sum over 'tp'
    return spmd::out_partial(torch::matmul(h, down->weight.t()) + down->bias,
                             tp);
  }
  Tensor forward([[spmd::type("tp: S(1)")]] Tensor h) {
    // It may have been made without one.
    return spmd::out_partial(down(h), tp);
  }
};

struct Column {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(0)")]] torch::nn::Linear up{nullptr};
  [[spmd::type("weight: tp: S(0); bias: tp: V")]] torch::nn::Linear named{
      nullptr};

  [[spmd::type("tp: V")]] Tensor forward([[spmd::type("tp: R")]] Tensor x) {
    return up(x) + named(x);
  }
};

struct Wrong {
  [[spmd::axis("tp")]] spmd::Axis tp;
  // CHECK: [[#@LINE+1]]:16: error: no parameter of 'Linear' has a dim 9, so it cannot be split on 'tp' [spmd-annotation]
  [[spmd::type("tp: S(9)")]] torch::nn::Linear down{nullptr};
  // CHECK: [[#@LINE+1]]:16: error: 'bias' of 'Linear' has no dim 1, so it cannot be split on 'tp' [spmd-annotation]
  [[spmd::type("weight: tp: S(1); bias: tp: S(1)")]] torch::nn::Linear named{
      nullptr};
};
