// A variable that says what it is made of and what it is converts the one to
// the other: no data moves, and no library is needed.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

using at::Tensor;

void loss([[spmd::type("dp: V")]] Tensor each) {
  [[spmd::type("dp: V -> dp: P")]] auto loss = each.mean();
  loss.backward();
}
[[spmd::type("dp: P, tp: R")]] Tensor
others([[spmd::type("dp: V, tp: R")]] Tensor x) {
  [[spmd::type("dp: V, tp: R -> dp: P")]] Tensor y = x;
  return y;
}
[[spmd::type("dp: P")]] Tensor other([[spmd::type("dp: R")]] Tensor x) {
  // CHECK: [[#@LINE+1]]:47: error: reinterpret on 'dp' takes V, but 'x' is R
  [[spmd::type("dp: V -> dp: P")]] Tensor y = x;
  return y;
}
void moves([[spmd::type("dp: P")]] Tensor x) {
  // CHECK: [[#@LINE+1]]:47: error: reinterpret does not take P to R on 'dp'
  [[spmd::type("dp: P -> dp: R")]] Tensor y = x;
}
// A buffer has other names, for which the same holds.
void buffer([[spmd::type("dp: V -> dp: R")]] float *x, int n,
            [[spmd::axis("dp")]] MPI_Comm dp) {
  [[spmd::type("dp: V -> dp: P")]] float *terms = x;
  MPI_Allreduce(MPI_IN_PLACE, terms, n, MPI_FLOAT, MPI_SUM, dp);
}
void largest([[spmd::type("dp: V")]] float *x, int n,
             [[spmd::axis("dp")]] MPI_Comm dp) {
  [[spmd::type("dp: V -> dp: P")]] float *terms = x;
  // CHECK: [[#@LINE+1]]:3: error: 'terms' is P on 'dp', and this all_reduce does not add
  MPI_Allreduce(MPI_IN_PLACE, terms, n, MPI_FLOAT, MPI_MAX, dp);
}
void nothing() {
  // CHECK: [[#@LINE+1]]:16: error: a variable changes its type from what it is made of: it needs an initialiser and a type in front of the arrow
  [[spmd::type("dp: V -> dp: P")]] float *x;
  // CHECK: [[#@LINE+1]]:16: error: a variable changes its type from what it is made of: it needs an initialiser and a type in front of the arrow
  [[spmd::type("-> dp: V")]] float y = 1;
}
struct Field {
  // CHECK: [[#@LINE+1]]:16: error: a type on entry and another on exit need a parameter that the function can write through, not a field
  [[spmd::type("dp: V -> dp: P")]] Tensor x;
};
