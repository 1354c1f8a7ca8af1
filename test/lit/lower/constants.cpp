// A value computed from literals alone fits every use: it has no gradient, and
// every rank knows it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>

struct Buffers {
  [[spmd::type("tp: V")]] at::Tensor shard = at::zeros({4});
  [[spmd::type("tp: V")]] float *raw = nullptr;
  [[spmd::type("tp: V")]] float *more;
};
Buffers make() {
  Buffers b = {};
  b.shard = at::ones({4}) * 2;
  return b;
}

void takes([[spmd::type("tp: V")]] float v, [[spmd::type("tp: I")]] float i,
           [[spmd::type("tp: R")]] float r);
void literals() {
  const float one = 1;
  takes(one, one, one + one);
}

// A sum that starts at zero is what is added to it.
[[spmd::type("tp: V")]] float
total([[spmd::type("tp: V")]] const std::vector<float> &x) {
  float sum = 0;
  for (float e : x)
    sum += e;
  return sum;
}
[[spmd::type("tp: R")]] float
wrong([[spmd::type("tp: V")]] const std::vector<float> &x) {
  float sum = 0;
  for (float e : x)
    sum += e;
  return sum;
  // CHECK: [[@LINE-1]]:3: error: the value returned from 'wrong' must be R on 'tp', but 'sum' is V{{.*}} [spmd-contract]
}

int ranks([[spmd::axis("tp")]] MPI_Comm comm) {
  int n = 1;
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, comm);
  return n;
}

// One is not a pending sum of ones.
at::Tensor sum([[spmd::axis("tp")]] const spmd::Axis &tp) {
  return spmd::all_reduce(at::ones({4}), tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_reduce on 'tp' takes P{{.*}} [spmd-src-type]
}
