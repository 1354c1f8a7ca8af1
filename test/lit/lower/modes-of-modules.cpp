// Statistics that a module keeps while it is trained are wrong in that mode,
// whether or not there is another.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/torch.h>

using at::Tensor;
struct NormImpl : torch::nn::Module {
  [[spmd::type("dp: R")]] Tensor running;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;

  Tensor forward([[spmd::type("dp: V")]] Tensor x) {
    if (is_training())
      // CHECK: [[@LINE+1]]:7: error: from here on 'running' is V on 'dp'
      running.mul_(0.9).add_(x.mean({0}) * 0.1);
    return x - running;
  }
  Tensor synchronised([[spmd::type("dp: V")]] Tensor x) {
    if (is_training()) {
      std::vector<Tensor> mean{x.mean({0}) / pg->getSize()};
      pg->allreduce(mean)->wait();
      running.mul_(0.9).add_(mean[0] * 0.1);
    }
    return x - running;
  }
};
