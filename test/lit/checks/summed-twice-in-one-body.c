// Of two sums in one body, which has one call, the second is taken out there.
// A call of a function that does more than the sum is never taken out.
// RUN: not %spmd-tidy --quiet %s -- -std=c23 -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not="others call"
// RUN: cp %s %t.c
// RUN: not %spmd-tidy --quiet --fix %t.c -- -std=c23 -isystem %stubs-dir 2>/dev/null
// RUN: sed "/\/\//d" %t.c | FileCheck --check-prefix=FIXED %s

#include <mpi.h>

// FIXED: static void backward(
// FIXED-NEXT: for
// FIXED-NEXT: MPI_Allreduce
// FIXED-NOT: MPI_Allreduce
// FIXED: }
static void backward(const float *w, const float *x, float *g, int n, MPI_Comm comm) {
  for (int i = 0; i < n; i++) g[i] = w[i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  // CHECK: [[#@LINE+2]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
  // CHECK: [[#@LINE+1]]:1: note: fix: remove this all_reduce: 'g' needs none on 'dp'
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
// FIXED: void step(
// FIXED-NEXT: backward(
void step([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  backward(w, x, g, n, comm);
  for (int i = 0; i < n; i++) w[i] -= 0.01f * g[i];
}

// FIXED: static void scaled(
// FIXED-NEXT: MPI_Allreduce
// FIXED-NEXT: for
static void scaled(float *g, int n, float by, MPI_Comm comm) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; i++) g[i] *= by;
}
// FIXED: void again(
// FIXED-NEXT: for
// FIXED-NEXT: MPI_Allreduce
// FIXED-NEXT: scaled(
void again([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < n; i++) g[i] = w[i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  // CHECK: note: fix: 'g' needs no all_reduce on 'dp' in this call of 'scaled' in 'again', which does more than that
  scaled(g, n, 0.5f, comm);
  for (int i = 0; i < n; i++) w[i] -= 0.01f * g[i];
}
