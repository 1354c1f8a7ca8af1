// A sum of what all ranks know is there to count them, or to see that all of
// them are there; one of replicas is a mistake.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

void once([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
          [[spmd::type("dp: R")]] torch::nn::Linear &m) {
  for (auto &p : m->parameters()) {
    std::vector<at::Tensor> one{torch::ones_like(p)};
    pg.allreduce(one)->wait();
    break;
  }
}

void counted([[spmd::axis("dp")]] c10d::ProcessGroup &pg) {
  std::vector<at::Tensor> one{torch::ones({1})};
  pg.allreduce(one)->wait();
}

void replicas([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
              [[spmd::type("dp: R")]] torch::nn::Linear &m) {
  for (auto &p : m->parameters()) {
    std::vector<at::Tensor> one{p.data()};
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'one' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
    pg.allreduce(one)->wait();
  }
}
