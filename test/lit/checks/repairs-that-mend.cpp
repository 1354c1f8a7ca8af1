// Repairs that are made are what the program should do, not only what checks.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>/dev/null
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>

// Whatever is said of the loss, nobody adds up the gradients.
struct Trainer {
  [[spmd::axis("dp")]] spmd::Axis dp;
  [[spmd::type("dp: R")]] torch::nn::Linear net{nullptr};

  // FIXED-LABEL: step(
  void step(torch::optim::SGD &optimizer,
            [[spmd::type("dp: V")]] const at::Tensor &x,
            [[spmd::type("dp: V")]] const at::Tensor &y) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    // CHECK: [[#@LINE+3]]:5: error: backward on a loss that must be P or I on 'dp', but 'loss' is V
    // CHECK: fix: take 'loss' through reinterpret from V to P on 'dp' (no communication; backward: no communication) [unsafe]
    // FIXED: {{^}}    loss.backward();
    loss.backward();
    optimizer.step();
  }
};

// Nothing that the loss is made of is R.
// FIXED-LABEL: ofItsInputs(
void ofItsInputs([[spmd::axis("dp")]] spmd::Axis dp,
                 [[spmd::type("dp: V")]] const at::Tensor &x,
                 [[spmd::type("dp: V")]] const at::Tensor &y) {
  at::Tensor loss = at::mse_loss(x, y);
  // CHECK: [[#@LINE+2]]:3: error: backward on a loss
  // FIXED: spmd::reinterpret(loss, dp, spmd::V, spmd::P).backward();
  loss.backward();
}

// Beside a shard, the sum's own shard is missing: the whole sum has another
// shape.
// FIXED-LABEL: sequence(
[[spmd::type("tp: S(0)")]] at::Tensor
sequence([[spmd::axis("tp")]] spmd::Axis tp,
         [[spmd::type("tp: S(0)")]] const at::Tensor &x,
         [[spmd::type("tp: P")]] const at::Tensor &y) {
  // CHECK: [[#@LINE+2]]:10: error: 'x' is S(0) and is added to 'y', which is P on 'tp'
  // FIXED: return x + spmd::reduce_scatter(y, tp, spmd::P, spmd::S(0));
  return x + y;
}

// The sum of the same numbers, said to be pending or not.
// FIXED-LABEL: declared(
[[spmd::type("tp: I")]] at::Tensor
declared([[spmd::axis("tp")]] spmd::Axis tp,
         [[spmd::type("tp: P")]] const at::Tensor &y) {
  // CHECK: [[#@LINE+4]]:10: error: all_reduce on 'tp' takes V, but 'y' is P
  // CHECK: fix: declare the source as P
  // CHECK-NOT: reduce_scatter
  // FIXED: return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  return spmd::all_reduce(y, tp, spmd::V, spmd::I);
}
