// Each iteration of a loop writes its own part of what is declared to be
// written: where what counts them leaves some out, their parts are.
// RUN: not %spmd-tidy --quiet %s -- -DIF="if(c==0)" %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DIF="if(c!=0)" %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DIF="if(c<chunks-1)" %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DIF= %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DIF="if(rows>0)" %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DIF="if(c*size<m)" %runtime-include 2>&1 | count 0
#include <cuda_runtime.h>
#include <nccl.h>
[[spmd::op("m k, k n -> m n")]] void product(const float *a, const float *b, float *c, int m, int n, int k,
                                             cudaStream_t stream);

void in_chunks([[spmd::type("tp: S(1)")]] const float *x, [[spmd::type("tp: S(0)")]] const float *w,
               [[spmd::type("-> tp: V")]] float *mine, [[spmd::type("-> tp: R")]] float *sum,
               [[spmd::axis("tp")]] ncclComm_t comm, int m, int n, int k, int chunks, cudaStream_t stream) {
  const int size = (m + chunks - 1) / chunks;
  for (int c = 0; c < chunks; c++) {
    const int rows = c * size + size <= m ? size : m - c * size;
    if (rows <= 0)
      break;
    float *part = mine + c * size * n;
    float *into = sum + c * size * n;
    product(x + c * size * k, w, part, rows, n, k, stream);
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: nothing is written to 'sum', which must be R on 'tp' on exit: callers rely on the annotation [spmd-contract]
    IF ncclAllReduce(part, into, rows * n, ncclFloat, ncclSum, comm, stream);
  }
}

// One after the other: the last one follows.
void behind([[spmd::type("tp: S(1)")]] const float *x, [[spmd::type("tp: S(0)")]] const float *w,
            [[spmd::type("-> tp: V")]] float *mine, [[spmd::type("-> tp: R")]] float *sum,
            [[spmd::axis("tp")]] ncclComm_t comm, int n, int chunks, cudaStream_t stream) {
  for (int c = 0; c < chunks; c++) {
    product(x + c * n, w, mine + c * n, 1, n, n, stream);
    if (c > 0)
      ncclAllReduce(mine + (c - 1) * n, sum + (c - 1) * n, n, ncclFloat, ncclSum, comm, stream);
  }
  ncclAllReduce(mine + (chunks - 1) * n, sum + (chunks - 1) * n, n, ncclFloat, ncclSum, comm, stream);
}

// The last one otherwise, and one place for all.
void otherwise([[spmd::type("tp: S(1)")]] const float *x, [[spmd::type("tp: S(0)")]] const float *w,
               [[spmd::type("-> tp: V")]] float *mine, [[spmd::type("-> tp: R")]] float *sum,
               [[spmd::type("-> tp: R")]] float *first, [[spmd::axis("tp")]] ncclComm_t comm, int n, int chunks,
               cudaStream_t stream) {
  for (int c = 0; c < chunks; c++) {
    product(x + c * n, w, mine + c * n, 1, n, n, stream);
    if (c < chunks - 1)
      ncclAllReduce(mine + c * n, sum + c * n, n, ncclFloat, ncclSum, comm, stream);
    else
      ncclAllReduce(mine + c * n, sum + c * n, n / 2, ncclFloat, ncclSum, comm, stream);
    if (c == 0)
      ncclAllReduce(mine, first, n, ncclFloat, ncclSum, comm, stream);
  }
}
