// A body that is wrong with the types of one call is not repaired at the
// expense of the other calls.
// RUN: not %spmd-tidy --fix-dry-run %s -- %stubs 2> /dev/null | count 0
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s

#include <nccl.h>

template <typename T>
void sum(T *buffer, size_t n, ncclComm_t over, cudaStream_t s) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V|P, but 'buffer' is R|I
  ncclAllReduce(buffer, buffer, n, ncclFloat, ncclSum, over, s);
}

void once([[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s,
          [[spmd::type("dp: P -> dp: R")]] float *g, size_t n) {
  sum(g, n, dp, s);
}
void twice([[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s,
           [[spmd::type("dp: P -> dp: R")]] float *g, size_t n) {
  sum(g, n, dp, s);
  // CHECK: [[#@LINE+2]]:3: note: with the types of this call in 'twice'
  // CHECK: fix: remove this all_reduce: 'buffer' needs none on 'dp' [unsafe]
  sum(g, n, dp, s);
}
