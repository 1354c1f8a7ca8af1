// What an annotation names in a module, a layer, a list of them or a tensor is
// there, or is reported.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/torch.h>

using torch::nn::Linear;

struct Pair : torch::nn::Module {
  Linear up{nullptr};
  torch::Tensor scale;
  torch::Tensor forward(torch::Tensor x) { return up(x * scale); }
};
struct Net : torch::nn::Module {
  [[spmd::type("weight: tp: S(0); bias: tp: S(0)")]] Linear right{nullptr};
  // CHECK: [[#@LINE+1]]:16: error: 'Linear' has no member 'wieght' that could have a type [spmd-annotation]
  [[spmd::type("wieght: tp: S(0); bias: tp: S(0)")]] Linear typo{nullptr};
  // CHECK: [[#@LINE+1]]:16: error: 'LayerNorm' has no member 'gamma' that could have a type
  [[spmd::type("gamma: tp: R")]] torch::nn::LayerNorm norm{nullptr};
  // CHECK: [[#@LINE+1]]:16: error: 'Linear' has no member 'foo' that could have a type
  [[spmd::type("foo: tp: I")]] std::vector<Linear> list;
  // CHECK: [[#@LINE+1]]:16: error: a tensor has no member 'weight': give one type without members
  [[spmd::type("weight: tp: R; scale: tp: R")]] torch::Tensor tensor;
  [[spmd::type("weight: tp: R; scale: tp: R")]] std::shared_ptr<Pair> pair;
  // CHECK: [[#@LINE+1]]:16: error: 'Pair' has no member 'scales' that could have a type
  [[spmd::type("scales: tp: R")]] std::shared_ptr<Pair> scales;
  // CHECK: [[#@LINE+1]]:16: error: 'Pair' has no member 'up.weight' that could have a type
  [[spmd::type("up.weight: tp: R")]] std::shared_ptr<Pair> dotted;
  // CHECK: [[#@LINE+1]]:16: error: 'ReLU' has no parameters that could have a type [spmd-annotation]
  [[spmd::type("tp: S(0)")]] torch::nn::ReLU act;
  // CHECK: [[#@LINE+1]]:16: error: 'Dropout' has no parameters that could have a type
  [[spmd::type("tp: R")]] std::vector<torch::nn::Dropout> drops;
  // Whatever is put into it may have members of any name.
  [[spmd::type("weight: tp: R")]] torch::nn::Sequential all;
};
struct Outer {
  [[spmd::type("scale: tp: R")]] Net net;
  // CHECK: [[#@LINE+1]]:16: error: 'Pair' has no member 'nothing' that could have a type
  [[spmd::type("nothing: tp: R")]] Pair *nothing;
};
