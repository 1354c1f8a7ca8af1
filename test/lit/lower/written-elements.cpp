// What a loop over the numbers of a list's elements does to `list[i]`, in place
// or by assignment, it does to that element.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

void use([[spmd::type("dp: R")]] const Tensor &x);

void inPlace([[spmd::type("dp: R")]] std::vector<Tensor> list,
             [[spmd::type("dp: V")]] Tensor v) {
  for (size_t i = 0; i < list.size(); ++i)
    list[i].mul_(v);
  for (auto &t : list)
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'x' must be R on 'dp', but 't' is V
    use(t);
}
void assigned(std::vector<Tensor> list, [[spmd::type("dp: V")]] Tensor v) {
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = v * 2;
  for (auto &t : list)
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'x' must be R on 'dp', but 't' is V
    use(t);
}
void declared([[spmd::type("dp: R")]] std::vector<Tensor> list,
              [[spmd::type("dp: V")]] Tensor v) {
  for (size_t i = 0; i < list.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'list' must be R on 'dp', but 'list[i] * v' is V
    list[i] = list[i] * v;
}
void averaged(std::vector<Tensor> list, [[spmd::type("dp: V")]] Tensor v,
              [[spmd::axis("dp")]] c10d::ProcessGroup &group) {
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = v * 2;
  for (size_t i = 0; i < list.size(); ++i) {
    std::vector<Tensor> one = {list[i]};
    group.allreduce(one)->wait();
    list[i].div_(group.getSize());
  }
  for (auto &t : list)
    use(t);
}
