// Gradients that are put into elements of lists and maps, or collected by
// algorithms, threads and callbacks, others may reduce: nothing is said of them.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: no findings
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using Tensors = std::vector<at::Tensor>;
static void sum(c10d::ProcessGroup &pg, at::Tensor t) {
  Tensors v{t};
  pg.allreduce(v)->wait();
}

void byIndex([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::nn::Linear net, torch::optim::SGD &opt, [[spmd::type("dp: V")]] at::Tensor x) {
  opt.zero_grad();
  net(x).sum().backward();
  auto ps = net->parameters();
  Tensors gs(ps.size());
  for (size_t i = 0; i < ps.size(); ++i)
    gs[i] = ps[i].grad();
  for (auto &g : gs)
    sum(pg, g);
  opt.step();
}
void inThreads([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::nn::Linear net, torch::optim::SGD &opt, [[spmd::type("dp: V")]] at::Tensor x) {
  opt.zero_grad();
  net(x).sum().backward();
  std::vector<std::thread> threads;
  for (auto &p : net->parameters())
    threads.emplace_back([&pg, p] { sum(pg, p.grad()); });
  for (auto &t : threads)
    t.join();
  opt.step();
}

struct Loop {
  [[spmd::axis("dp")]] c10d::ProcessGroup *pg;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  torch::optim::SGD opt;
  std::vector<std::function<void(int)>> afterBackward;
  void run([[spmd::type("dp: V")]] at::Tensor x) {
    opt.zero_grad();
    net(x).sum().backward();
    for (auto &f : afterBackward)
      f(1);
    opt.step();
  }
};

// This file instantiates no constructor of it.
template <typename M> struct Wrapper {
  Wrapper(std::shared_ptr<M> m, c10d::ProcessGroup *g) : module(m), group(g) {
    for (auto &p : module->parameters())
      p.register_hook([this](at::Tensor grad) {
        sum(*group, grad);
        return grad;
      });
  }
  at::Tensor forward(at::Tensor x) { return module->forward(x); }
  [[spmd::type("dp: R")]] std::shared_ptr<M> module;
  [[spmd::axis("dp")]] c10d::ProcessGroup *group;
};
void byTemplate(Wrapper<torch::nn::LinearImpl> &net, torch::optim::SGD &opt, [[spmd::type("dp: V")]] at::Tensor x) {
  opt.zero_grad();
  net.forward(x).sum().backward();
  opt.step();
}
