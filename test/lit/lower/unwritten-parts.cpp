// Memory that nobody has written yet is what is written to its parts.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct BatchNorm {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type("dp: R")]] at::Tensor mean;

  void byConstants([[spmd::type("dp: V")]] at::Tensor x) {
    auto stats = torch::empty({4});
    stats.narrow(0, 0, 2).copy_(x);
    // CHECK: [[#@LINE+1]]:5: error: from here on 'mean' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    mean.add_(stats);
  }
  void bySizes([[spmd::type("dp: V")]] at::Tensor x, int c) {
    auto stats = torch::empty({2 * c});
    stats.narrow(0, 0, c).copy_(x.sum(0));
    stats.narrow(0, c, c).copy_((x * x).sum(0));
    // CHECK: [[#@LINE+1]]:5: error: from here on 'mean' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    mean.add_(stats.narrow(0, 0, c));
  }
  void summed([[spmd::type("dp: V")]] at::Tensor x, int c) {
    auto stats = torch::empty({2 * c});
    stats.narrow(0, 0, c).copy_(x.sum(0));
    stats.narrow(0, c, c).copy_((x * x).sum(0));
    std::vector<at::Tensor> all{stats};
    group->allreduce(all)->wait();
    mean.add_(stats.narrow(0, 0, c));
  }
  void untyped(at::Tensor x) {
    auto stats = torch::empty({4});
    stats.narrow(0, 0, 2).copy_(x);
    mean.add_(stats);
  }
};
