// Pointers in an array are each a buffer of their own.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

void sum(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s);
}
void apart([[spmd::type("dp: P")]] float *a, [[spmd::type("dp: P")]] float *b,
           size_t n, [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  float *all[2] = {a, b};
  sum(all[0], n, dp, s);
  sum(all[1], n, dp, s);
}
void together([[spmd::type("dp: P -> dp: R")]] float *a,
              [[spmd::type("dp: P -> dp: R")]] float *b, size_t n,
              [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  float *all[2] = {a, b};
  for (int i = 0; i < 2; ++i)
    sum(all[i], n, dp, s);
}
void all_of_them([[spmd::type("dp: P")]] float **all, const size_t *sizes,
                 int count, [[spmd::axis("dp")]] ncclComm_t dp,
                 cudaStream_t s) {
  for (int i = 0; i < count; ++i) {
    ncclAllReduce(all[i], all[i], sizes[i], ncclFloat, ncclSum, dp, s);
    ncclAllReduce(all[i], all[i], sizes[i], ncclFloat, ncclSum, dp, s);
  // CHECK: [[@LINE-1]]:5: error: all_reduce on 'dp' takes V or P, but 'all[i]' is R or I{{.*}} [spmd-src-type]
  }
}
