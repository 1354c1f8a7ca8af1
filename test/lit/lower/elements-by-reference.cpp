// An element of a list, or what a map has for a key, is replaced where it is
// named, by a reference too: what the container is declared to hold, it is.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <map>
#include <string>
#include <unordered_map>

struct Cache {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type("dp: R")]] std::vector<at::Tensor> list;
  [[spmd::type("dp: R")]] std::map<std::string, at::Tensor> named;
  [[spmd::type("dp: R")]] std::unordered_map<int, at::Tensor> numbered;

  void ofList(int i, [[spmd::type("dp: V")]] at::Tensor x) {
    auto &y = list[i];
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'list' must be R on 'dp', but 'x' is V: the ranks hold different values, which are taken for one [spmd-contract]
    y = x;
  }
  void ofMap(const std::string &n, [[spmd::type("dp: V")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'named' must be R on 'dp', but 'x' is V: the ranks hold different values, which are taken for one [spmd-contract]
    named[n] = x;
  }
  void average(int n, [[spmd::type("dp: V")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'numbered' must be R on 'dp', but 'numbered[n] * 0.9 + x * 0.1' is V: the ranks hold different values, which are taken for one [spmd-contract]
    numbered[n] = numbered[n] * 0.9 + x * 0.1;
  }
  void byReference(const std::string &n, [[spmd::type("dp: V")]] at::Tensor x) {
    auto &q = named[n];
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'named' must be R on 'dp', but 'x' is V: the ranks hold different values, which are taken for one [spmd-contract]
    q = x;
  }
  void inserted(const std::string &n, [[spmd::type("dp: V")]] at::Tensor x) {
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'named' must be R on 'dp', but '{n, x}' is V: the ranks hold different values, which are taken for one [spmd-contract]
    named.insert({n, x});
  }
  void theSame(int i, const std::string &n, [[spmd::type("dp: R")]] at::Tensor x) {
    auto &y = list[i];
    y = x;
    named[n] = x;
    auto &q = named[n];
    q = x * 2;
    named.insert({n, x});
    numbered[i] = numbered[i] + x;
  }
};
