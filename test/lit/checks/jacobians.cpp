// A backward pass for the gradients of inputs, which differ between ranks as
// the loss does, needs nobody to add up anything.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/torch.h>

struct Emulator {
  at::Tensor jacobian([[spmd::type("dp: V")]] at::Tensor x) {
    auto y = net->forward(x).sum();
    y.backward();
    return x.grad();
  }

  [[spmd::type("dp: R")]] torch::nn::Linear net;
};

// Here the gradients of the model are wanted, too.
at::Tensor both([[spmd::type("dp: V")]] at::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  auto y = net->forward(x).sum();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but 'y' is V
  y.backward();
  return x.grad() + net->weight.grad().numel();
}

// Nobody will take them.
void neither([[spmd::type("dp: V")]] at::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  auto y = net->forward(x).sum();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but 'y' is V
  y.backward();
}
