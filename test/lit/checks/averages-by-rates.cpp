// `w += rate / ranks * sum` averages what was summed: what another collective
// made, a broadcast of one rank's gradients say, is no sum.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DMAXIMUM %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DRIGHT %stubs 2>&1 | count 0
#include <cublas_v2.h>
#include <mpi.h>

static void step(cublasHandle_t cublas, int n, [[spmd::type("dp: R")]] float rate,
                 [[spmd::type("dp: R")]] const float *sums, [[spmd::type("dp: R")]] float *w) {
  // CHECK: [[#@LINE+1]]:3: error: 'sums' is divided by the number of ranks of 'dp', and the collective that made it did not add: an average is made of the sum of the ranks' values [spmd-partial-nonlinear]
  cublasSaxpy(cublas, n, &rate, sums, 1, w, 1);
}

void byBroadcast(cublasHandle_t cublas, int n, [[spmd::type("dp: V")]] float *g, float *sum,
                 [[spmd::type("dp: R")]] float *w, [[spmd::axis("dp")]] MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
#if defined(RIGHT) || defined(MAXIMUM)
  MPI_Allreduce(g, sum, n, MPI_FLOAT, MPI_SUM, comm);
#else
  sum = g;
  MPI_Bcast(sum, n, MPI_FLOAT, 0, comm);
#endif
  step(cublas, n, -0.1f / ranks, sum, w);
}
void byMaximum(cublasHandle_t cublas, int n, [[spmd::type("dp: V")]] float *g, float *sum,
               [[spmd::type("dp: R")]] float *w, [[spmd::axis("dp")]] MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
#ifndef MAXIMUM
  MPI_Allreduce(g, sum, n, MPI_FLOAT, MPI_SUM, comm);
#else
  MPI_Allreduce(g, sum, n, MPI_FLOAT, MPI_MAX, comm);
#endif
  step(cublas, n, -0.1f / ranks, sum, w);
}
// What one rank has drawn or read, and a rate that is not divided.
void ofOne(cublasHandle_t cublas, int n, [[spmd::type("dp: V")]] float *shift, [[spmd::type("dp: R")]] float *w,
           [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Bcast(shift, n, MPI_FLOAT, 0, comm);
  step(cublas, n, 0.1f, shift, w);
}
