// An option that an object was made with is no way of all who use the object.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

struct Rows {
  Rows(Group group, bool reduces) : group(group), reduces(reduces) {}
  Tensor forward(Tensor x) {
    Tensor y = at::matmul(x, weight);
    if (reduces) {
      std::vector<Tensor> list = {y};
      group->allreduce(list)->wait();
    }
    return y;
  }
  Tensor whole(Tensor x) {
    Tensor y = at::matmul(x, weight);
    if (mode == 1) {
      std::vector<Tensor> list = {y};
      group->allreduce(list)->wait();
    }
    return y;
  }
  [[spmd::axis("tp")]] Group group;
  [[spmd::type("tp: S(0)")]] Tensor weight;
  int mode;
  bool reduces;
};

struct Head {
  explicit Head(Group group) : rows(group, true) {}
  [[spmd::type("tp: R")]] Tensor forward([[spmd::type("tp: S(1)")]] Tensor x) {
    return rows.forward(x);
  }
  // CHECK: [[#@LINE+2]]:5: error: the value returned from 'Head::whole' must be R on 'tp'
  [[spmd::type("tp: R")]] Tensor whole([[spmd::type("tp: S(1)")]] Tensor x) {
    return rows.whole(x);
  }
  Rows rows;
};

// What is said of a module is about its tensors; its numbers have no gradient.
struct Attention : torch::nn::Module {
  Tensor forward(Tensor q, Tensor k) { return at::matmul(q, k) / depth; }
  double depth;
};
struct Block {
  [[spmd::type("tp: I")]] Attention attention;
  [[spmd::type("tp: V")]] Tensor forward([[spmd::type("tp: V")]] Tensor q, [[spmd::type("tp: V")]] Tensor k) {
    return attention.forward(q, k);
  }
};
