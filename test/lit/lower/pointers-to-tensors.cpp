// To take one of several tensors in a loop changes none of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/torch.h>

void all([[spmd::type("dp: R")]] torch::Tensor w, [[spmd::type("dp: V")]] const torch::Tensor *batches, int n) {
  for (int b = 0; b < n; b++) {
    // CHECK: [[@LINE+1]]:47: error: the value of 'y' must be R on 'dp', but {{.*}} is V
    [[spmd::type("dp: R")]] torch::Tensor y = torch::matmul(batches[b], w);
    [[spmd::type("dp: V")]] torch::Tensor z = torch::matmul(batches[b], w);
  }
}
void some([[spmd::type("dp: R")]] torch::Tensor w, [[spmd::type("dp: V")]] const std::vector<torch::Tensor> &batches) {
  for (size_t b = 0; b < batches.size(); b++) {
    auto loss = torch::matmul(batches[b], w).mean();
    // CHECK: [[@LINE+1]]:47: error: the value of 'y' must be R on 'dp', but 'loss' is V
    [[spmd::type("dp: R")]] torch::Tensor y = loss;
    if (b > 8)
      break;
  }
}
