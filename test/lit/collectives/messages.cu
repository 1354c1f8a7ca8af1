// NCCL's messages outside a group wait for each other; in one they do not.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

#define RING                                                                  \
  int rank, size;                                                              \
  ncclCommUserRank(comm, &rank);                                               \
  ncclCommCount(comm, &size);                                                  \
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size

void alone(float *x, float *y, size_t n, ncclComm_t comm, cudaStream_t s) {
  RING;
  ncclSend(x, n, ncclFloat, next, comm, s);
  // CHECK: [[#@LINE-1]]:3: error: ranks wait for each other's messages in a cycle, and none goes on: with 2 ranks: rank 0 waits for rank 1 in ncclSend, {{.*}} [spmd-collective-order]
  ncclRecv(y, n, ncclFloat, previous, comm, s);
}
void wrongPeer(float *x, float *y, size_t n, ncclComm_t comm, cudaStream_t s) {
  RING;
  ncclGroupStart();
  ncclSend(x, n, ncclFloat, next, comm, s);
  // CHECK: [[#@LINE-1]]:3: error: ranks wait for each other's messages in a cycle, {{.*}} [spmd-collective-order]
  ncclRecv(y, n, ncclFloat, rank, comm, s);
  ncclGroupEnd();
}
void otherCount(float *x, float *y, ncclComm_t comm, cudaStream_t s) {
  RING;
  ncclGroupStart();
  ncclSend(x, 4, ncclFloat, next, comm, s);
  ncclRecv(y, 8, ncclFloat, previous, comm, s);
  // CHECK: [[#@LINE-1]]:3: error: the count of this 'ncclRecv' does not fit that of the 'ncclSend' on the other rank: {{.*}} [spmd-varying-metadata]
  ncclGroupEnd();
}
void right(float *x, float *y, size_t n, ncclComm_t comm, cudaStream_t s) {
  RING;
  ncclGroupStart();
  ncclSend(x, n, ncclFloat, next, comm, s);
  ncclRecv(y, n, ncclFloat, previous, comm, s);
  ncclGroupEnd();
}
