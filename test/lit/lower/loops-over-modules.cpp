// A loop over the modules in a module, and over the parameters of each, is one
// over all parameters: each has its turn once, or again with what it is in.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
static void sum(c10d::ProcessGroup &dp, Tensor t) {
  std::vector<Tensor> one{t};
  dp.allreduce(one)->wait();
}
struct NetImpl : torch::nn::Module {
  NetImpl() : a(register_module("a", torch::nn::Linear(8, 8))), b(register_module("b", torch::nn::Linear(8, 1))) {}
  Tensor forward(Tensor x) { return b(a(x)); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
/// Has parameters that no module in it has, and modules in modules.
struct DeepImpl : torch::nn::Module {
  DeepImpl() : net(register_module("net", Net())), scale(register_parameter("scale", torch::ones({1}))) {}
  Tensor forward(Tensor x) { return net(x) * scale; }
  Net net;
  Tensor scale;
};
TORCH_MODULE(Deep);
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] Tensor x
#define TRAINED(Model) torch::optim::SGD opt((Model)->parameters(), 0.1); opt.zero_grad(); (Model)->forward(x).sum().backward()

void behindTheStep(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
  for (auto &child : net->children())
    for (auto &p : child->parameters())
      sum(dp, p.grad());
}
void parametersForGradients(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &child : net->children())
    for (auto &p : child->parameters()) {
      std::vector<Tensor> one{p};
      // CHECK: [[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but 'one' is R
      dp.allreduce(one)->wait();
    }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void weightsAlone(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &item : net->named_children())
    for (auto &p : item.value()->named_parameters())
      if (p.key() != "bias")
        sum(dp, p.value().grad());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void twice(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &child : net->children())
    for (auto &p : child->parameters())
      sum(dp, p.grad());
  for (auto &p : net->parameters()) {
    std::vector<Tensor> one{p.grad()};
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'one' is R
    dp.allreduce(one)->wait();
  }
  opt.step();
}
void again(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &module : net->modules())
    for (auto &p : module->parameters()) {
      std::vector<Tensor> one{p.grad()};
      // CHECK: [[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but 'one' is R
      dp.allreduce(one)->wait();
    }
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void children(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &child : net->children())
    for (auto &p : child->parameters())
      sum(dp, p.grad());
  opt.step();
}
void named(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &item : net->named_children())
    for (auto &p : item.value()->named_parameters())
      sum(dp, p.value().grad());
  opt.step();
}
void own(ARGUMENTS) {
  [[spmd::type("dp: R")]] Deep net;
  TRAINED(net);
  for (const auto &module : net->modules())
    for (auto &p : module->parameters(/*recurse=*/false))
      sum(dp, p.grad());
  opt.step();
}
void below(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (const auto &module : net->modules(/*include_self=*/false))
    for (auto &p : module->parameters())
      sum(dp, p.grad());
  opt.step();
}
void averagedAgain(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &module : net->modules())
    for (auto &p : module->parameters()) {
      sum(dp, p.grad());
      p.grad().div_(dp.getSize());
    }
  opt.step();
}
void withTheRest(ARGUMENTS) {
  [[spmd::type("dp: R")]] Deep net;
  TRAINED(net);
  for (const auto &child : net->children())
    for (auto &p : child->parameters())
      sum(dp, p.grad());
  sum(dp, net->scale.grad());
  opt.step();
}
void byPlace(ARGUMENTS) {
  [[spmd::type("dp: R")]] Deep net;
  TRAINED(net);
  for (auto &p : net->parameters(false))
    sum(dp, p.grad());
  for (const auto &child : net->children())
    for (auto &p : child->parameters())
      sum(dp, p.grad());
  opt.step();
}
void leaves(ARGUMENTS) {
  [[spmd::type("dp: R")]] Deep net;
  TRAINED(net);
  for (const auto &module : net->modules()) {
    if (!module->children().empty())
      continue;
    for (auto &p : module->parameters())
      sum(dp, p.grad());
  }
  sum(dp, net->scale.grad());
  opt.step();
}
void sentRound(ARGUMENTS, [[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] Net net;
  for (auto &child : net->children())
    for (auto &p : child->parameters()) {
      std::vector<Tensor> one{p.data()};
      dp.broadcast(one)->wait();
    }
}
static void reduceAll(torch::nn::Module &module, c10d::ProcessGroup &dp) {
  for (auto &p : module.parameters())
    sum(dp, p.grad());
}
void byCallee(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  TRAINED(net);
  for (auto &child : net->children())
    reduceAll(*child, dp);
  opt.step();
}
void layers(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Sequential net(torch::nn::Linear(8, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
  TRAINED(net);
  for (auto &layer : net->children())
    for (auto &p : layer->parameters())
      sum(dp, p.grad());
  opt.step();
}
struct ListedImpl : torch::nn::Module {
  ListedImpl() {
    for (int i = 0; i < 3; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), torch::nn::Linear(8, 8)));
  }
  Tensor forward(Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<torch::nn::Linear> layers;
};
TORCH_MODULE(Listed);
void listed(ARGUMENTS, [[spmd::type("dp: R")]] Listed net) {
  TRAINED(net);
  for (auto &layer : net->layers)
    for (auto &p : layer->parameters())
      sum(dp, p.grad());
  opt.step();
}
