// Of several operands, a message names the one that cannot be there.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
using at::Tensor;

Tensor mean([[spmd::type("dp: P")]] const Tensor &sum, [[spmd::type("dp: P")]] const Tensor &tokens) {
  return sum / tokens;
  // CHECK: [[@LINE-1]]:10: error: 'tokens' is P on 'dp' and divides 'sum': a quotient of sums is not the sum of the ranks' quotients [spmd-partial-nonlinear]
}

void squares([[spmd::type("dp: R")]] Tensor &moment, [[spmd::type("dp: P")]] const Tensor &gradient, double beta) {
  moment.mul_(beta).addcmul_(gradient, gradient, 1 - beta);
  // CHECK: [[@LINE-1]]:3: error: 'gradient' and 'gradient' are both P on 'dp' and meet in 'addcmul': {{.*}} [spmd-partial-product]
}

void rounds([[spmd::type("dp: P")]] const std::vector<Tensor> &gradients, [[spmd::axis("dp")]] c10d::ProcessGroup &group) {
  Tensor sum = torch::zeros_like(gradients[0]);
  for (const Tensor &gradient : gradients) {
    sum = sum + gradient;
    // CHECK: [[@LINE-1]]:11: error: 'sum' is added to 'gradient', which is P on 'dp', in 'add': {{.*}} [spmd-partial-add]
    std::vector<Tensor> list{sum};
    group.allreduce(list)->wait();
  }
}
