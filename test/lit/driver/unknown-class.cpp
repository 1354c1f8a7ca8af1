// A class that is not found, as one of a missing header, leaves expressions of
// no type in functions that have annotations.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=crashed

#include <torch/torch.h>

float sum([[spmd::type("tp: R")]] const float *x) {
  // CHECK: [[#@LINE+1]]:3: error: unknown type name 'Matrix' [clang-diagnostic-error]
  Matrix rows(3, 4);
  return x[0];
}

// So do members that are made of what is not found.
struct LayersImpl : torch::nn::Module {
  // CHECK: error: no member named 'MatrixOptions' in namespace 'torch::nn'
  LayersImpl(int64_t d) : known(d, d), rows(torch::nn::MatrixOptions(torch::nn::LayerOptions(d, 2), 3)) {
    register_module("known", known);
    register_module("rows", rows);
  }
  torch::nn::Linear known;
  // CHECK: [[#@LINE+1]]:14: error: no type named 'Matrix' in namespace 'torch::nn'
  torch::nn::Matrix rows;
};
TORCH_MODULE(Layers);
class Worker {
public:
  Worker() : net_(32000, 256), opt_(net_->parameters(), 0.1) {}
  Layers net_;
  torch::optim::SGD opt_;
};
float step([[spmd::type("dp: V")]] torch::Tensor ids) { return 1; }
