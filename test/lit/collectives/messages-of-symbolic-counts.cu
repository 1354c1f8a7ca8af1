// What is sent and what is received hang on one unknown number.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>
#include <spmd/annotations.h>

void halved([[spmd::axis("pp")]] ncclComm_t c, float *y, int n, cudaStream_t s) {
  int stage, depth;
  ncclCommUserRank(c, &stage);
  ncclCommCount(c, &depth);
  if (stage > 0)
    // CHECK: [[@LINE+1]]:5: error: the count of this 'ncclRecv' does not fit that of the 'ncclSend' on the other rank
    ncclRecv(y, n / 2, ncclFloat, stage - 1, c, s);
  if (stage < depth - 1)
    ncclSend(y, n, ncclFloat, stage + 1, c, s);
}
void more([[spmd::axis("pp")]] ncclComm_t c, float *y, int n, cudaStream_t s) {
  int stage, depth;
  ncclCommUserRank(c, &stage);
  ncclCommCount(c, &depth);
  if (stage > 0)
    // CHECK: [[@LINE+1]]:5: error: the count of this 'ncclRecv' does not fit that of the 'ncclSend' on the other rank
    ncclRecv(y, 2 * n, ncclFloat, stage - 1, c, s);
  if (stage < depth - 1)
    ncclSend(y, n, ncclFloat, stage + 1, c, s);
}
void same([[spmd::axis("pp")]] ncclComm_t c, float *y, int n, int m, cudaStream_t s) {
  int stage, depth;
  ncclCommUserRank(c, &stage);
  ncclCommCount(c, &depth);
  if (stage > 0)
    ncclRecv(y, n / 2 * m, ncclFloat, stage - 1, c, s);
  if (stage < depth - 1)
    ncclSend(y, n / 2 * m, ncclFloat, stage + 1, c, s);
  if (stage > 0)
    ncclRecv(y, n / depth, ncclFloat, stage - 1, c, s);
  if (stage < depth - 1)
    ncclSend(y, n / depth, ncclFloat, stage + 1, c, s);
  if (stage > 0)
    ncclRecv(y, m, ncclFloat, stage - 1, c, s);
  if (stage < depth - 1)
    ncclSend(y, n, ncclFloat, stage + 1, c, s);
}
