// A module that is made where it is registered, or takes the place of another, has first values that the program's generator draws there.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/torch.h>

using torch::nn::Linear;

struct Net : torch::nn::Module {
  Linear up{nullptr}, down{nullptr};
  Net() {
    up = register_module("up", Linear(8, 8));
    down = register_module("down", Linear(8, 8));
  }
  torch::Tensor forward(torch::Tensor x) { return down(torch::relu(up(x))); }
};

void finetune([[spmd::type("dp: V")]] int rank, [[spmd::type("dp: R")]] torch::Tensor x) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  torch::manual_seed(rank);
  // CHECK: :[[#@LINE+1]]:15: error: from here on 'net.down.parameters()' is V on 'dp', and nothing makes it R again before its object ends
  net->down = net->replace_module("down", Linear(8, 8));
  net->forward(x);
}
void seeded([[spmd::type("dp: R")]] torch::Tensor x) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  net->down = net->replace_module("down", Linear(8, 8));
  net->forward(x);
}
void pretrain([[spmd::type("dp: V")]] int rank, [[spmd::type("dp: R")]] torch::Tensor x) {
  torch::manual_seed(rank);
  // CHECK: :[[#@LINE+1]]:38: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again before its object ends
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  net->forward(x);
}
