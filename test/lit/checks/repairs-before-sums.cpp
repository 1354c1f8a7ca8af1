// What is added up later anyhow is not added up twice: where a sum is in the
// wrong place, or this is no part of it, --fix does nothing.
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy %t.cpp -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>&1 | FileCheck %s --check-prefix=FIX
// RUN: diff %s %t.cpp
// FIX-NOT: changed

#include <c10d/ProcessGroup.hpp>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

void clipped([[spmd::axis("dp")]] Group pg, [[spmd::type("dp: P")]] at::Tensor grad,
             [[spmd::type("dp: R")]] at::Tensor w) {
  // CHECK: :[[#@LINE+1]]:17: error: 'grad' is P on 'dp' and enters the non-linear 'norm': norm of a sum is not the sum of the ranks' norm [spmd-partial-nonlinear]
  double norm = grad.norm().item<double>();
  // CHECK: note: fix: take 'grad' through all_reduce from P to R on 'dp' (moves 2(N-1)/N of it over 'dp'; backward: all_reduce) [unsafe]
  if (norm > 1.0)
    grad.mul_(1.0 / norm);
  std::vector<at::Tensor> b{grad};
  pg->allreduce(b)->wait();
  b[0].mul_(1.0 / pg->getSize());
  w.sub_(b[0], 0.1);
}

// The same where a function of this file makes the sum.
static void sum([[spmd::axis("dp")]] Group pg, at::Tensor t) {
  std::vector<at::Tensor> b{t};
  pg->allreduce(b)->wait();
}
struct Compressor {
  [[spmd::axis("dp")]] Group pg;
  [[spmd::type("dp: V")]] at::Tensor err;
  void reduce([[spmd::type("dp: P -> dp: R")]] at::Tensor grad) {
    // CHECK: :[[#@LINE+1]]:14: error: 'err' is V and is added to 'grad', which is P on 'dp', in 'add'
    auto e = grad + err;
    // CHECK: note: fix: take 'grad' through all_reduce from P to R on 'dp' {{.*}} [unsafe]
    auto q = e.sign() * e.abs().mean();
    err = e - q;
    sum(pg, q);
    grad.copy_(q);
  }
};

// Parts that differ are no terms of one sum: none is offered.
struct Optimizer {
  [[spmd::axis("dp")]] Group pg;
  at::Tensor v;
  void step([[spmd::type("dp: P")]] at::Tensor grad, int64_t chunk) {
    auto g = grad.narrow(0, pg->getRank() * chunk, chunk);
    // CHECK: :[[#@LINE+1]]:5: error: 'g' and 'g' are both P on 'dp' and meet in 'addcmul'
    v.mul_(0.9).addcmul_(g, g, 0.1);
    // CHECK-NOT: fix:
  }
};

// Nor where the part is given to a sum or back, which is to have what all ranks have.
[[spmd::axis("dp")]] extern spmd::Axis dp;
at::Tensor summedPart([[spmd::type("dp: P")]] at::Tensor x) {
  // CHECK: :[[#@LINE+1]]:10: error: 'x.narrow(0, dp.rank() * 3, 3)' is P on 'dp' and another part of it on each rank, and 'all_reduce' reads it
  return spmd::all_reduce(x.narrow(0, dp.rank() * 3, 3), dp, spmd::P, spmd::R);
  // CHECK-NOT: fix:
}
[[spmd::type("dp: V")]] at::Tensor givenPart([[spmd::type("dp: P")]] at::Tensor x) {
  // CHECK: :[[#@LINE+1]]:3: error: the value returned from 'givenPart' must be V on 'dp', but 'x.narrow(0, dp.rank() * 3, 3)' is P
  return x.narrow(0, dp.rank() * 3, 3);
  // CHECK-NOT: fix:
}
