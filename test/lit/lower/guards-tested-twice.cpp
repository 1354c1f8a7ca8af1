// What a number is compared with elsewhere says whether it is an amount; a
// variable may keep what a counter says.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Config {
  int zero_stage = 0;
  int accumulate = 1;
};
void log(const char *);
struct Engine {
  Config cfg;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  [[spmd::type("dp: R")]] torch::nn::Linear model;
  torch::optim::SGD opt;
  long steps = 0;
  Engine(c10::intrusive_ptr<c10d::ProcessGroup> g, int64_t n) : pg(g), model(n, n), opt(model->parameters(), 0.1) {}
  void reduce() {
    for (auto &p : model->parameters()) {
      std::vector<torch::Tensor> v{p.grad()};
      pg->allreduce(v)->wait();
    }
  }
  void staged([[spmd::type("dp: V")]] torch::Tensor x) {
    model->forward(x).mean().backward();
    if (cfg.zero_stage > 0)
      reduce();
    if (cfg.zero_stage == 0)
      log("no stage");
    // CHECK: [[@LINE+2]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    // CHECK: [[@LINE-5]]:9: note: on the way where
    opt.step();
    opt.zero_grad();
  }
  void counted([[spmd::type("dp: V")]] torch::Tensor x) {
    model->forward(x).mean().backward();
    ++steps;
    const bool boundary = steps % cfg.accumulate == 0;
    if (boundary)
      reduce();
    // CHECK: [[@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
    opt.zero_grad();
  }
};
struct Right {
  Config cfg;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  [[spmd::type("dp: R")]] torch::nn::Linear model;
  torch::optim::SGD opt;
  long steps = 0;
  Right(c10::intrusive_ptr<c10d::ProcessGroup> g, int64_t n) : pg(g), model(n, n), opt(model->parameters(), 0.1) {}
  void counted([[spmd::type("dp: V")]] torch::Tensor x) {
    model->forward(x).mean().backward();
    ++steps;
    const bool boundary = steps % cfg.accumulate == 0;
    if (!boundary)
      return;
    for (auto &p : model->parameters()) {
      std::vector<torch::Tensor> v{p.grad()};
      pg->allreduce(v)->wait();
    }
    opt.step();
    opt.zero_grad();
  }
};
// Whose optimizer it is says the method that reduces the gradients.
struct Unmade {
  bool bf16 = false;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  [[spmd::type("dp: R")]] torch::nn::Linear model;
  torch::optim::SGD opt;
  void reduce() {
    for (auto &p : model->parameters()) {
      std::vector<torch::Tensor> v{p.grad()};
      pg->allreduce(v)->wait();
    }
  }
  void guarded([[spmd::type("dp: V")]] torch::Tensor x) {
    opt.zero_grad();
    model->forward(x).mean().backward();
    if (bf16)
      reduce();
    // CHECK: [[@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
  void reduced([[spmd::type("dp: V")]] torch::Tensor x) {
    opt.zero_grad();
    model->forward(x).mean().backward();
    reduce();
    opt.step();
  }
};
