// Where ranks take different ways, what only some of them change differs.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <cstdio>
#include <vector>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("pp")]] extern spmd::Axis pp;
Tensor load(const char *);
void save(const Tensor &);

//===--- What is found ----------------------------------------------------===//

[[spmd::type("tp: R")]] Tensor scaled([[spmd::type("tp: R")]] Tensor y) {
  if (tp.rank() == 0)
    y = y * 2;
  return y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'scaled' must be R on 'tp', but 'y' is V
  // CHECK: [[#@LINE-4]]:7: note: 'y' is V on 'tp': on one way it is R, and the ranks go different ways here
}
[[spmd::type("tp: R")]] Tensor chosen([[spmd::type("tp: R")]] Tensor y) {
  const bool root = tp.rank() == 0;
  return root ? y : -y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'chosen' must be R on 'tp', but 'root ? y : -y' is V
}
[[spmd::type("tp: R")]] Tensor early([[spmd::type("tp: R")]] Tensor y) {
  if (tp.rank() != 0)
    return y;
  y.mul_(2);
  return y;
}
// CHECK: [[#@LINE-5]]:7: error: parameter 'y' on exit must be R on 'tp', but 'y' is V
[[spmd::type("tp: R")]] Tensor rounds([[spmd::type("tp: R")]] Tensor y) {
  for (int i = 0; i < tp.rank(); ++i)
    y = y + y;
  return y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'rounds' must be R on 'tp', but 'y' is V
}
[[spmd::type("tp: R")]] Tensor cases([[spmd::type("tp: R")]] Tensor y) {
  switch (tp.rank()) {
  case 0:
    y = -y;
    break;
  default:
    break;
  }
  return y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'cases' must be R on 'tp', but 'y' is V
}
[[spmd::type("tp: R")]] Tensor looked([[spmd::type("tp: V")]] Tensor x,
                                      [[spmd::type("tp: R")]] Tensor y) {
  if (x.sum().item<float>() > 0)
    y = -y;
  return y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'looked' must be R on 'tp', but 'y' is V
}
[[spmd::type("tp: I")]] Tensor invariant([[spmd::type("tp: I")]] Tensor y) {
  if (tp.rank() == 0)
    y = y * 2;
  return y * y;
  // CHECK: [[#@LINE-1]]:10: error: 'y' was I on 'tp' until some ranks went another way, and 'mul' uses it: an invariant value needs the same gradient on every rank, and those that changed it have another one
}
[[spmd::type("tp: R")]] Tensor pending([[spmd::type("tp: P")]] Tensor y) {
  if (tp.rank() == 0)
    y = y * 2;
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
  // CHECK: [[#@LINE-1]]:10: error: 'y' was P on 'tp' until some ranks went another way, and 'all_reduce' uses it: the terms that they changed and those of the other ranks belong to different sums
}
[[spmd::type("tp: R")]] Tensor group(
    [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg,
    [[spmd::type("tp: R")]] Tensor y) {
  const auto rank = pg->getRank();
  if (!rank)
    y = -y;
  return y;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'group' must be R on 'tp', but 'y' is V
}

//===--- What trainers do -------------------------------------------------===//

[[spmd::type("tp: R")]] Tensor logged([[spmd::type("tp: R")]] Tensor y) {
  double shown = 0;
  if (tp.rank() == 0) {
    shown = y.sum().item<double>();
    const Tensor copy = y * 2;
    std::printf("%f\n", shown + copy.sum().item<double>());
    save(y);
  }
  return y;
}
[[spmd::type("tp: R")]] Tensor read([[spmd::type("tp: R")]] Tensor y,
                                    [[spmd::axis("tp")]]
                                    c10::intrusive_ptr<c10d::ProcessGroup> pg) {
  Tensor w;
  if (pg->getRank() == 0)
    w = load("w");
  std::vector<Tensor> v{w};
  pg->broadcast(v)->wait();
  return y + w;
}
[[spmd::type("tp: R")]] Tensor stage([[spmd::type("tp: R")]] Tensor embedded,
                                     Tensor received) {
  Tensor x;
  if (pp.rank() == 0)
    x = -embedded;
  else
    x = received;
  return x + embedded;
}
[[spmd::type("tp: R")]] Tensor
elsewhere([[spmd::type("pp: R, tp: R")]] Tensor y) {
  if (pp.rank() == 0)
    y = y * 2;
  return y;
}
void start([[spmd::axis("tp")]] ncclComm_t comm, float *w, size_t n,
           cudaStream_t s) {
  int rank = 0;
  ncclCommUserRank(comm, &rank);
  if (rank == 0)
    cudaMemsetAsync(w, 0, n, s);
  ncclBroadcast(w, w, n, ncclFloat, 0, comm, s);
}
[[spmd::type("tp: R")]] Tensor sizes([[spmd::type("tp: V")]] Tensor x,
                                     [[spmd::type("tp: R")]] Tensor y) {
  for (int i = 0; i < x.size(0); ++i)
    y = y + y;
  if (x.defined() && x.dim() == 2)
    y = -y;
  return y;
}
[[spmd::type("tp: R")]] Tensor refused([[spmd::type("tp: R")]] Tensor y) {
  if (tp.rank() > 64)
    throw 1;
  return y * 2;
}
