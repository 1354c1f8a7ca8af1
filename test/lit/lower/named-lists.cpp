// A loop over tensors that braces name, or that pairs or references hold, does
// to each of them once what its body says.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <functional>
#include <map>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <utility>
#include <vector>
using at::Tensor;

void use([[spmd::type("dp: R")]] const Tensor &x);
void sum([[spmd::axis("dp")]] c10d::ProcessGroup &group, Tensor x) {
  std::vector<Tensor> list = {x};
  group.allreduce(list)->wait();
}

void braces([[spmd::axis("dp")]] c10d::ProcessGroup &group,
            [[spmd::type("dp: V")]] Tensor x,
            [[spmd::type("dp: V")]] Tensor y) {
  for (const Tensor &t : {x, y}) {
    std::vector<Tensor> list = {t};
    group.allreduce(list)->wait();
  }
  use(x);
  use(y);
}
void missing([[spmd::axis("dp")]] c10d::ProcessGroup &group,
             [[spmd::type("dp: V")]] Tensor x,
             [[spmd::type("dp: V")]] Tensor y) {
  for (const Tensor &t : {x}) {
    std::vector<Tensor> list = {t};
    group.allreduce(list)->wait();
  }
  use(x);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'y' is V
  use(y);
}
void references([[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] Tensor x,
                [[spmd::type("dp: V")]] Tensor y) {
  for (auto &t : {std::ref(x), std::ref(y)}) {
    std::vector<Tensor> list = {t};
    group.allreduce(list)->wait();
  }
  use(x);
}
void pairs([[spmd::axis("dp")]] c10d::ProcessGroup &group,
           [[spmd::type("dp: V")]] Tensor x, [[spmd::type("dp: V")]] Tensor y) {
  std::vector<std::pair<Tensor, std::string>> named = {{x, "x"}, {y, "y"}};
  for (auto &[t, name] : named) {
    std::vector<Tensor> list = {t};
    group.allreduce(list)->wait();
  }
  use(x);
}
void addedPairs([[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] Tensor x,
                [[spmd::type("dp: V")]] Tensor y) {
  std::vector<std::pair<std::string, Tensor>> named;
  named.emplace_back("x", x);
  named.emplace_back("y", y);
  for (auto &entry : named) {
    std::vector<Tensor> list = {entry.second};
    group.allreduce(list)->wait();
  }
  use(x);
}
void byName([[spmd::axis("dp")]] c10d::ProcessGroup &group,
            [[spmd::type("dp: V")]] Tensor x,
            [[spmd::type("dp: V")]] Tensor y) {
  std::map<std::string, Tensor> named = {{"x", x}, {"y", y}};
  for (auto &entry : named)
    sum(group, entry.second);
  use(x);
}
