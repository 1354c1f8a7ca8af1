// What all ranks have alike, divided by the number of ranks, is each rank's
// share of a sum. A buffer whose elements are each rank's own may have the same
// in all of them.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <nccl.h>
#include <spmd/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
struct Parallel {
  [[spmd::size("tp")]] int world;
};
[[spmd::size("tp")]] int numRanks();

[[spmd::type("tp: P")]] at::Tensor
member([[spmd::type("tp: R")]] const at::Tensor &x, Parallel &p) {
  return x / p.world;
}
[[spmd::type("tp: P")]] at::Tensor
factor([[spmd::type("tp: R")]] const at::Tensor &x) {
  return x * (1.0 / numRanks());
}
[[spmd::type("tp: P")]] at::Tensor
axis([[spmd::type("tp: R")]] const at::Tensor &x) {
  const float share = 1.0f / tp.size();
  return x * share;
}
void buffer([[spmd::type("tp: R -> tp: P")]] float *x, int n,
            [[spmd::size("tp")]] int world) {
  for (int i = 0; i < n; ++i)
    x[i] /= world;
}
void asked([[spmd::type("tp: R -> tp: P")]] float *x, int n,
           [[spmd::axis("tp")]] MPI_Comm c) {
  int world;
  MPI_Comm_size(c, &world);
  for (int i = 0; i < n; ++i)
    x[i] /= world;
}
void askedNccl([[spmd::type("tp: R -> tp: P")]] float *x, int n,
               [[spmd::axis("tp")]] ncclComm_t c) {
  int world;
  ncclCommCount(c, &world);
  for (int i = 0; i < n; ++i)
    x[i] /= world;
}
// The bias counts once.
[[spmd::type("tp: I")]] at::Tensor
bias([[spmd::type("tp: V")]] const at::Tensor &h,
     [[spmd::type("tp: V")]] const at::Tensor &w,
     [[spmd::type("tp: R")]] const at::Tensor &b) {
  auto y = spmd::out_partial(at::matmul(h, w), tp) + b / tp.size();
  return spmd::all_reduce(y, tp, spmd::P, spmd::I);
}
// It is the same on all ranks still, and may be both.
[[spmd::type("tp: R")]] at::Tensor
both([[spmd::type("tp: R")]] const at::Tensor &x) {
  auto share = x / tp.size();
  return at::relu(share) + spmd::all_reduce(share, tp, spmd::P, spmd::R);
}

[[spmd::type("tp: P")]] at::Tensor
literal([[spmd::type("tp: R")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'literal' must be P on 'tp', but 'x / 3' is R
  return x / 3;
}
[[spmd::type("tp: P")]] at::Tensor
invariant([[spmd::type("tp: I")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'invariant' must be P on 'tp', but 'x / tp.size()' is I
  return x / tp.size();
}
[[spmd::type("tp: P")]] at::Tensor
upsideDown([[spmd::type("tp: R")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'upsideDown' must be P on 'tp', but 'tp.size() / x' is R
  return tp.size() / x;
}
[[spmd::type("tp: P")]] at::Tensor
varying([[spmd::type("tp: V")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'varying' must be P on 'tp', but 'x / tp.size()' is V
  return x / tp.size();
}

void store([[spmd::type("tp: V")]] double *out,
           [[spmd::type("tp: R")]] const double *x, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = x[i];
}
void storeOne([[spmd::type("tp: V")]] double *out,
              [[spmd::type("tp: R")]] double x) {
  *out = x;
}
void storePending([[spmd::type("tp: V")]] double *out,
                  [[spmd::type("tp: P")]] double x) {
  // CHECK: [[#@LINE+1]]:3: error: the value of 'out' must be V on 'tp', but 'x' is P
  *out = x;
}
void storeVarying([[spmd::type("tp: R")]] double *out,
                  [[spmd::type("tp: V")]] double x) {
  // CHECK: [[#@LINE+1]]:3: error: the value of 'out' must be R on 'tp', but 'x' is V
  *out = x;
}
