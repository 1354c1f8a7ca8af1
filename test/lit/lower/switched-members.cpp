// A member that callers switch, as an engine that reduces in the last micro
// step alone is told, is not one thing in all calls: by hand, or by a guard.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

struct NoSync {
  explicit NoSync(bool &f) : flag(f), saved(f) { flag = false; }
  ~NoSync() { flag = saved; }
  bool &flag;
  bool saved;
};
struct ByHand {
  [[spmd::axis("dp")]] c10d::ProcessGroup *pg;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  torch::optim::SGD opt;
  bool sync = true;
  void backward([[spmd::type("dp: V")]] at::Tensor x) {
    net(x).sum().backward();
    if (sync)
      for (auto &p : net->parameters()) {
        std::vector<at::Tensor> v{p.grad()};
        pg->allreduce(v)->wait();
      }
  }
  void step([[spmd::type("dp: V")]] const std::vector<at::Tensor> &micro) {
    opt.zero_grad();
    for (size_t i = 0; i + 1 < micro.size(); ++i) {
      sync = false;
      backward(micro[i]);
    }
    sync = true;
    backward(micro.back());
    opt.step();
  }
};
struct ByGuard {
  [[spmd::axis("dp")]] c10d::ProcessGroup *pg;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  torch::optim::SGD opt;
  bool sync = true;
  void backward([[spmd::type("dp: V")]] at::Tensor x) {
    net(x).sum().backward();
    if (sync)
      for (auto &p : net->parameters()) {
        std::vector<at::Tensor> v{p.grad()};
        pg->allreduce(v)->wait();
      }
  }
  void step([[spmd::type("dp: V")]] const std::vector<at::Tensor> &micro) {
    opt.zero_grad();
    for (size_t i = 0; i + 1 < micro.size(); ++i) {
      NoSync guard(sync);
      backward(micro[i]);
    }
    backward(micro.back());
    opt.step();
  }
};
// Nobody switches this one.
struct Chosen {
  [[spmd::axis("dp")]] c10d::ProcessGroup *pg;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  torch::optim::SGD opt;
  bool sync = true;
  void step([[spmd::type("dp: V")]] at::Tensor x) {
    opt.zero_grad();
    net(x).sum().backward();
    if (sync)
      for (auto &p : net->parameters()) {
        std::vector<at::Tensor> v{p.grad()};
        pg->allreduce(v)->wait();
      }
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up {{.*}}[spmd-partial-nonlinear]
    opt.step();
  }
};
