// What is declared of a pair or a tuple is of each tensor in it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/torch.h>
#include <tuple>
#include <utility>

struct Pair {
  // CHECK-DAG: error: from here on 'pair.first' is V on 'dp', and nothing makes it R again
  [[spmd::type("dp: R")]] std::pair<at::Tensor, at::Tensor> pair;
  void update([[spmd::type("dp: V")]] at::Tensor x) { pair.first.sub_(x); }
};
struct Tuple {
  // CHECK-DAG: error: from here on 'tuple.1' is V on 'dp', and nothing makes it R again
  [[spmd::type("dp: R")]] std::tuple<at::Tensor, at::Tensor> tuple;
  void update([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: R")]] at::Tensor same) {
    std::get<1>(tuple).sub_(x);
    std::get<0>(tuple).sub_(same);
  }
};
