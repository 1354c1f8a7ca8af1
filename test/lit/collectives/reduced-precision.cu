// A reduction takes the bits of its buffer for the datatype that it is told.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

void wrong(__nv_bfloat16 *x, half *h, float *y, ncclComm_t c, cudaStream_t s) {
  // CHECK: [[#@LINE+1]]:3: error: this 'ncclAllReduce' reduces a buffer of '__nv_bfloat16' as ncclFloat: it would take the bits of one for the other [spmd-collective-argument]
  ncclAllReduce(x, x, 4, ncclFloat, ncclSum, c, s);
  // CHECK: [[#@LINE+1]]:3: error: this 'ncclReduceScatter' reduces a buffer of 'half' as ncclBfloat16
  ncclReduceScatter(h, h, 4, ncclBfloat16, ncclSum, c, s);
  // CHECK: [[#@LINE+1]]:3: error: this 'ncclAllReduce' reduces a buffer of 'float' as ncclHalf
  ncclAllReduce(y + 3, y, 4, ncclHalf, ncclSum, c, s);
}

// What is only moved, or has no type, may be called anything.
void right(__nv_bfloat16 *x, half *h, void *any, ncclComm_t c, cudaStream_t s) {
  ncclAllReduce(x, x, 4, ncclBfloat16, ncclSum, c, s);
  ncclAllReduce(h, h, 4, ncclFloat16, ncclSum, c, s);
  ncclAllGather(x, any, 4, ncclFloat16, c, s);
  ncclAllReduce(any, any, 4, ncclFloat, ncclSum, c, s);
}
