// What one rank alone adds to a pending sum is in it once.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

//===--- What is right ----------------------------------------------------===//

[[spmd::type("tp: R")]] Tensor bound([[spmd::type("tp: P")]] Tensor y,
                                     [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() == 0)
    y = y + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor written([[spmd::type("tp: P")]] Tensor y,
                                       [[spmd::type("tp: R")]] Tensor bias) {
  if (!tp.rank())
    y.add_(bias);
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor last([[spmd::type("tp: P")]] Tensor y,
                                    [[spmd::type("tp: R")]] Tensor bias) {
  const int last = tp.size() - 1;
  if (tp.rank() == last)
    y -= bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor chosen([[spmd::type("tp: P")]] Tensor y,
                                      [[spmd::type("tp: R")]] Tensor bias) {
  const bool root = tp.rank() == 0;
  y = root ? bias + y : y;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: P")]] Tensor early([[spmd::type("tp: P")]] Tensor y,
                                     [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() != 0)
    return y;
  return y + bias;
}
[[spmd::type("tp: R")]] Tensor
group([[spmd::type("tp: P")]] Tensor y, [[spmd::type("tp: R")]] Tensor bias,
      [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg) {
  if (pg->getRank() == pg->getSize() - 1)
    y = y + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
struct RowParallel {
  [[spmd::type("tp: S(0)")]] Tensor weight;
  [[spmd::type("tp: R")]] Tensor bias;
  bool has_bias;
  [[spmd::type("tp: R")]] Tensor
  forward([[spmd::type("tp: S(1)")]] const Tensor &x) const {
    Tensor y = spmd::out_partial(at::matmul(x, weight), tp);
    if (has_bias && tp.rank() == 0 && bias.defined())
      y = y + bias;
    return spmd::all_reduce(y, tp, spmd::P, spmd::R);
  }
};

void elements([[spmd::type("tp: P -> tp: P")]] float *y,
              [[spmd::type("tp: R")]] const float *bias, int n) {
  if (tp.rank() == 0)
    for (int i = 0; i < n; ++i)
      y[i] += bias[i];
  if (tp.rank() == 1)
    for (int i = 0; i < n; ++i)
      y[i] = y[i] + bias[i];
}

//===--- What is wrong ----------------------------------------------------===//

[[spmd::type("tp: R")]] Tensor others([[spmd::type("tp: P")]] Tensor y,
                                      [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() != 0)
    y = y + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
// CHECK: [[#@LINE-3]]:9: error: 'bias' is R and is added to 'y', which is P on
// 'tp', in 'add': the pending sum would count it once per rank

[[spmd::type("tp: R")]] Tensor elsewhere([[spmd::type("tp: P")]] Tensor y,
                                         [[spmd::type("tp: R")]] Tensor bias) {
  if (dp.rank() == 0)
    y = y + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
// CHECK: [[#@LINE-3]]:9: error: 'bias' is R and is added to 'y', which is P on
// 'tp', in 'add': the pending sum would count it once per rank

[[spmd::type("tp: R")]] Tensor invariant([[spmd::type("tp: P")]] Tensor y,
                                         [[spmd::type("tp: I")]] Tensor bias) {
  if (tp.rank() == 0)
    y = y + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
// CHECK: [[#@LINE-3]]:9: error: 'bias' is I and is added to 'y', which is P on
// 'tp', in 'add': the pending sum would count it once per rank

[[spmd::type("tp: R")]] Tensor cases([[spmd::type("tp: P")]] Tensor y,
                                     [[spmd::type("tp: R")]] Tensor bias) {
  switch (tp.rank()) {
  case 0:
    break;
  default:
    y = y + bias;
  }
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
// CHECK: [[#@LINE-4]]:9: error: 'bias' is R and is added to 'y', which is P on
// 'tp', in 'add': the pending sum would count it once per rank

[[spmd::type("tp: R")]] Tensor another([[spmd::type("tp: P")]] Tensor y,
                                       [[spmd::type("tp: P")]] Tensor z,
                                       [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() == 0)
    y = z + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
// CHECK: [[#@LINE-2]]:10: error: 'y' was P on 'tp' until some ranks went
// another way, and 'all_reduce' uses it: the terms that they changed and those
// of the other ranks belong to different sums

void shuffled([[spmd::type("tp: P -> tp: P")]] float *y,
              [[spmd::type("tp: R")]] const float *bias, int n) {
  if (tp.rank() == 0)
    for (int i = 0; i < n; ++i)
      y[i] = y[n - i] + bias[i];
}
// CHECK: [[#@LINE-6]]:28: error: parameter 'y' on exit must be P on 'tp', but
// 'y' is V

void doubled([[spmd::type("tp: P -> tp: P")]] float *y,
             [[spmd::type("tp: R")]] const float *bias, int n) {
  if (tp.rank() == 0)
    for (int i = 0; i < n; ++i)
      y[i] = 2 * y[i] - bias[i] * y[i];
}
// CHECK: [[#@LINE-6]]:27: error: parameter 'y' on exit must be P on 'tp', but
// 'y' is V
