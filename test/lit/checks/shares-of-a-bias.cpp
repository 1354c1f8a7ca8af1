// What is added to terms of a sum before a collective without types sums them
// counts once if each rank adds its share: divided by the number of ranks on
// that axis, and by nothing else.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
using torch::Tensor;

struct Row {
  [[spmd::axis("tp")]] std::shared_ptr<c10d::ProcessGroup> tp;
  [[spmd::axis("dp")]] std::shared_ptr<c10d::ProcessGroup> dp;
  [[spmd::type("tp: S(0)")]] Tensor w;
  [[spmd::type("tp: R")]] Tensor b;

  Tensor sum(Tensor y) {
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor multiplied([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:14: error: 'b * tp->getSize()' is R and is added to 'torch::matmul(h, w)', which is each rank's term of a sum over 'tp'
    auto y = torch::matmul(h, w) + b * tp->getSize();
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor literal([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:14: error: 'b / 3' is R and is added to
    auto y = torch::matmul(h, w) + b / 3;
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor ofOthers([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:14: error: 'b / dp->getSize()' is R and is added to
    auto y = torch::matmul(h, w) + b / dp->getSize();
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor onOneWay([[spmd::type("tp: S(1)")]] Tensor h, bool has_bias) {
    auto y = torch::matmul(h, w);
    // CHECK: [[#@LINE+3]]:11: error: 'b' is R and is added to 'y'
    // CHECK: note: on the way where 'has_bias' is true
    if (has_bias)
      y = y + b;
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }

  Tensor share([[spmd::type("tp: S(1)")]] Tensor h) {
    auto y = torch::matmul(h, w) + b / tp->getSize();
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor factor([[spmd::type("tp: S(1)")]] Tensor h) {
    const float share = 1.0f / tp->getSize();
    auto y = torch::matmul(h, w) + b * share;
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
  Tensor given([[spmd::type("tp: S(1)")]] Tensor h, int world) {
    auto y = torch::matmul(h, w) + b / world;
    std::vector<Tensor> v{y};
    tp->allreduce(v)->wait();
    return y;
  }
};
