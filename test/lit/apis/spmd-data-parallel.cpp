// What reduces the gradients of parameters as they come: after the wait they
// are what an all_reduce_mean makes of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/data_parallel.h>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

void right([[spmd::axis("dp")]] spmd::Axis dp,
           [[spmd::type("dp: R")]] std::vector<Tensor> parameters,
           [[spmd::type("dp: V")]] const Tensor &x) {
  spmd::DataParallel sync(parameters, dp, spmd::P, spmd::R);
  Tensor share = torch::relu(at::matmul(x, parameters[0])).mean();
  spmd::reinterpret(share, dp, spmd::V, spmd::P).backward();
  sync.wait();
  for (Tensor &p : parameters)
    spmd::assert_type(p.grad(), "dp: R");
}

// As most trainers have it: the loss of each rank's own batch.
void ofOwnLosses([[spmd::axis("dp")]] spmd::Axis dp,
                 [[spmd::type("dp: R")]] std::vector<Tensor> parameters,
                 [[spmd::type("dp: V")]] const Tensor &x) {
  spmd::DataParallel sync(parameters, dp, spmd::P, spmd::R);
  torch::relu(at::matmul(x, parameters[0])).mean().backward();
  sync.wait();
  for (Tensor &p : parameters)
    spmd::assert_type(p.grad(), "dp: R");
}

void forgotten([[spmd::axis("dp")]] spmd::Axis dp,
               [[spmd::type("dp: R")]] std::vector<Tensor> parameters,
               [[spmd::type("dp: V")]] const Tensor &x) {
  spmd::DataParallel sync(parameters, dp, spmd::P, spmd::R);
  Tensor share = torch::relu(at::matmul(x, parameters[0])).mean();
  spmd::reinterpret(share, dp, spmd::V, spmd::P).backward();
  for (Tensor &p : parameters)
    spmd::assert_type(p.grad(), "dp: R");
  // CHECK: [[@LINE-1]]:5: error: {{.*}} is P{{.*}} [spmd-contract]
}

void buckets([[spmd::axis("dp")]] spmd::Axis dp,
             [[spmd::type("dp: P")]] const std::vector<Tensor> &terms) {
  std::vector<Tensor> sums = spmd::all_reduce(terms, dp, spmd::P, spmd::I);
  spmd::assert_type(sums[0], "dp: I");
  spmd::BucketWork means =
      spmd::all_reduce_mean_async(terms, dp, spmd::P, spmd::R);
  std::vector<Tensor> all = means.wait();
  spmd::assert_type(all[1], "dp: R");
  spmd::assert_type(spmd::all_reduce(terms, dp, spmd::P, spmd::I)[0], "dp: R");
  // CHECK: [[@LINE-1]]:3: error: {{.*}} is I{{.*}} [spmd-contract]
}
