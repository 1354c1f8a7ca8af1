// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// Of an iteration that is looked at by itself, a loop inside has iterations:
// what the iteration before has reduced is new where micro steps run.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>
#include <vector>

[[spmd::type("dp: V")]] torch::Tensor next();

void reduce([[spmd::axis("dp")]] c10d::ProcessGroup &pg, torch::nn::Linear &model) {
  for (auto &p : model->parameters()) {
    std::vector<torch::Tensor> v{p.grad()};
    pg.allreduce(v)->wait();
  }
}

void inSomeIterations([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
                      [[spmd::type("dp: R")]] torch::nn::Linear model, int n, int micro) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (int it = 0; it < n; ++it) {
    opt.zero_grad();
    for (int m = 0; m < micro; ++m)
      model(next()).sum().backward();
    if (it % 2 == 0)
      reduce(pg, model);
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
}

void inEach([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
            [[spmd::type("dp: R")]] torch::nn::Linear model, int n, int micro) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (int it = 0; it < n; ++it) {
    opt.zero_grad();
    for (int m = 0; m < micro; ++m)
      model(next()).sum().backward();
    reduce(pg, model);
    opt.step();
  }
}

void beforeEachStep([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
                    [[spmd::type("dp: R")]] torch::nn::Linear model, int n, int micro) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (int it = 0; it < n; ++it) {
    for (int m = 0; m < micro; ++m)
      model(next()).sum().backward();
    if ((it + 1) % 4 == 0) {
      reduce(pg, model);
      opt.step();
      opt.zero_grad();
    }
  }
}
