// A buffer that is declared to be the same on every rank is so at the end.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstring>
#include <nccl.h>

void forgotReduce([[spmd::type("tp: R")]] float *y,
                  [[spmd::type("tp: V")]] const float *part, size_t n) {
  memcpy(y, part, n * sizeof(float));
  // CHECK: [[@LINE-3]]:32: error: parameter 'y' on exit must be R on 'tp', but 'y' is V: the ranks hold different values, which are taken for one [spmd-contract]
}
void reduced([[spmd::type("tp: R")]] float *y,
             [[spmd::type("tp: V")]] const float *part, size_t n,
             [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t s) {
  memcpy(y, part, n * sizeof(float));
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, comm, s);
}
// A pointer that moves on is not the buffer.
void moved([[spmd::type("tp: R")]] const float *y,
           [[spmd::type("tp: V")]] const float *part) {
  y = part + 1;
  // CHECK: [[@LINE-1]]:3: error: the value of 'y' must be R on 'tp'{{.*}} [spmd-contract]
}
// What was pending may be complete at the end, until the next backward.
void early([[spmd::type("dp: P")]] float *g, size_t n,
           [[spmd::axis("dp")]] ncclComm_t comm, cudaStream_t s) {
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, comm, s);
}
