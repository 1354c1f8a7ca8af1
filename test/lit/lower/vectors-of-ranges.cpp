// What a vector is made of by two iterators, or by a number and a value, it
// begins with.
// RUN: %spmd-tidy --dump-types %s -- %stubs | FileCheck %s

#include <torch/torch.h>
#include <vector>

at::Tensor some([[spmd::type("dp: V")]] std::vector<int64_t> order, [[spmd::type("dp: R")]] at::Tensor x, size_t i) {
  std::vector<int64_t> part(order.begin() + i, order.begin() + i + 32);
  // CHECK: :[[#@LINE+1]]:10: x.index_select(0, torch::tensor(part)): dp: V
  return x.index_select(0, torch::tensor(part));
}
at::Tensor all([[spmd::type("dp: V")]] std::vector<int64_t> order, [[spmd::type("dp: R")]] at::Tensor x) {
  // CHECK: :[[#@LINE+1]]:10: x.index_select({{.*}}): dp: V
  return x.index_select(0, torch::tensor(std::vector<int64_t>(order.begin(), order.end())));
}
at::Tensor filled([[spmd::type("dp: V")]] int64_t row, [[spmd::type("dp: R")]] at::Tensor x) {
  std::vector<int64_t> rows(4, row);
  // CHECK: :[[#@LINE+1]]:10: x.index_select(0, torch::tensor(rows)): dp: V
  return x.index_select(0, torch::tensor(rows));
}
at::Tensor zeros([[spmd::type("dp: R")]] at::Tensor x) {
  std::vector<int64_t> rows(4, 0);
  // CHECK: :[[#@LINE+1]]:10: x.index_select(0, torch::tensor(rows)): dp: R
  return x.index_select(0, torch::tensor(rows));
}
