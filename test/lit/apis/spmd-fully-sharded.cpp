// Parameters of which each rank keeps a part: whole in between they are R, and
// what an optimizer gets is V, with the parts of the gradients.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/data_parallel.h>
#include <spmd/fully_sharded.h>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

void right([[spmd::axis("dp")]] spmd::Axis dp,
           [[spmd::type("dp: R")]] std::vector<Tensor> parameters,
           [[spmd::type("dp: V")]] const Tensor &x) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  torch::optim::AdamW optimizer(sharded.shards());
  sharded.gather();
  Tensor share = torch::relu(at::matmul(x, parameters[0])).mean();
  spmd::reinterpret(share, dp, spmd::V, spmd::P).backward();
  sharded.wait();
  optimizer.step();
}

void isAPart([[spmd::axis("dp")]] spmd::Axis dp,
             [[spmd::type("dp: R")]] std::vector<Tensor> parameters) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  spmd::assert_type(sharded.shards()[0], "dp: V");
  spmd::assert_type(sharded.shards()[0], "dp: R");
  // CHECK: [[@LINE-1]]:3: error: {{.*}} is S(0){{.*}} [spmd-contract]
}

// What is shared out is to be the same on all ranks.
void ofOwnParameters([[spmd::axis("dp")]] spmd::Axis dp,
                     [[spmd::type("dp: V")]] std::vector<Tensor> parameters) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  torch::optim::AdamW optimizer(sharded.shards());
  // CHECK: [[@LINE-1]]:33: error: {{.*}} takes R, but {{.*}} is V{{.*}} [spmd-src-type]
}

void reducedBefore([[spmd::axis("dp")]] spmd::Axis dp,
                   [[spmd::type("dp: R")]] std::vector<Tensor> parameters,
                   [[spmd::type("dp: V")]] const Tensor &x) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  spmd::DataParallel sync(parameters, dp, spmd::P, spmd::R);
  sharded.gather();
  Tensor share = torch::relu(at::matmul(x, parameters[0])).mean();
  spmd::reinterpret(share, dp, spmd::V, spmd::P).backward();
  sync.wait();
  sharded.wait();
  // CHECK: [[@LINE-1]]:3: error: {{.*}} takes P, but {{.*}} is R{{.*}} [spmd-src-type]
}
