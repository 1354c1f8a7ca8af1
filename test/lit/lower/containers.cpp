// Maps, pairs, tuples and arrays hold what was put into them: an array whose
// elements are named one by one, each its own; a map, one summary.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <spmd/torch.h>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>
using at::Tensor;

// Any of them can have a type.
struct State {
  [[spmd::type("dp: R")]] std::map<std::string, Tensor> params;
  [[spmd::type("dp: V")]] std::unordered_map<std::string, Tensor> moments;
  [[spmd::type("dp: V")]] std::optional<Tensor> mask;
  [[spmd::type("dp: R")]] std::pair<std::string, Tensor> named;
  [[spmd::type("dp: R")]] std::array<Tensor, 2> both;
  [[spmd::type("dp: R")]] std::tuple<int, Tensor> counted;
  [[spmd::type("dp: R")]] std::vector<std::pair<std::string, Tensor>> list;
};
// CHECK: [[#@LINE+2]]:16: error: 'std::map<std::string_view, std::string_view>' holds no tensor
struct Names {
  [[spmd::type("dp: R")]] std::map<std::string_view, std::string_view> names;
};

struct Trainer {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  void sum(std::vector<Tensor> list) { pg->allreduce(list)->wait(); }

  void reduce([[spmd::type("dp: P -> dp: R")]] std::map<std::string, Tensor>
                  &grads) {
    for (auto &[name, grad] : grads)
      sum({grad});
  }
  void reduceEntries([[spmd::type("dp: P -> dp: R")]] std::unordered_map<
                     std::string, Tensor> &grads) {
    for (auto &entry : grads)
      sum({entry.second});
  }
  void step([[spmd::type("dp: R")]] std::map<std::string, Tensor> &params,
            [[spmd::type("dp: P")]] std::map<std::string, Tensor> &grads) {
    for (auto &[name, p] : params) {
      sum({grads.at(name)});
      p.sub_(grads.at(name), 0.1);
    }
    auto bias = params.find("bias");
    if (bias != params.end())
      bias->second.sub_(grads["bias"].sum(), 0.1);
  }
  void unreduced([[spmd::type("dp: P")]] std::map<std::string, Tensor> &grads) {
    for (auto &[name, grad] : grads)
      // CHECK: [[#@LINE+1]]:7: error: {{.*}} is P on 'dp' {{.*}} [spmd-partial-nonlinear]
      grad.sqrt_();
  }
  void first([[spmd::type("dp: P")]] std::map<std::string, Tensor> &grads) {
    // CHECK: [[#@LINE+1]]:5: error: {{.*}} is P on 'dp' {{.*}} [spmd-partial-nonlinear]
    at::relu(grads.begin()->second);
  }
};

void elements([[spmd::type("dp: P")]] Tensor p,
              [[spmd::type("dp: R")]] Tensor r) {
  // CHECK: [[#@LINE+2]]:14: error: 'a[1]' is R and is added to 'a[0]', which is P on 'dp', {{.*}} [spmd-partial-add]
  Tensor a[2] = {p, r};
  Tensor x = a[0] + a[1];
  // CHECK: [[#@LINE+2]]:14: error: {{.*}} [spmd-partial-add]
  std::array<Tensor, 2> b{p, r};
  Tensor y = b[0] + b[1];
  // CHECK: [[#@LINE+3]]:14: error: {{.*}} [spmd-partial-add]
  Tensor c[2];
  c[0] = p, c[1] = r;
  Tensor z = c[0] + c[1];
  Tensor same[2] = {p, p};
  Tensor sum = same[0] + same[1];
  same[1] = r;
  same[1].add_(r);
  Tensor other = same[1] + r;
  // What is asked for by a number that nobody knows is any of them.
  Tensor any[2] = {r, r};
  for (int i = 0; i != 2; ++i)
    any[i] = any[i] + r;
}

void owners([[spmd::type("dp: P")]] Tensor p,
            [[spmd::type("dp: R")]] Tensor r) {
  auto unique = std::make_unique<Tensor>(p);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  unique->exp();
  auto shared = std::make_shared<Tensor>(p);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  at::relu(*shared);
  std::make_unique<Tensor>(r)->exp();
}

void tuples([[spmd::type("dp: P")]] Tensor p,
            [[spmd::type("dp: R")]] Tensor r) {
  std::pair<Tensor, Tensor> pair{p, r};
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  pair.first.exp();
  pair.second.exp();
  auto tuple = std::make_tuple(p, r);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  std::get<0>(tuple).exp();
  std::get<1>(tuple).exp();
  auto [a, b] = std::make_pair(p, r);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  a.exp();
  b.exp();
  auto [c, d] = std::tuple<Tensor, Tensor>(p, r);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} [spmd-partial-nonlinear]
  c.exp();
  d.exp();
}
