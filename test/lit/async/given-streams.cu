// Of two streams that a function is given, one of which it orders by events, the
// other is another one: a sum that does not wait for its product is too early.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DNO_WAIT %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DBEFORE %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DOTHER %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>
[[spmd::op("m k, k n -> m n")]] void product(const float *a, const float *b, float *c, int m, int n, int k,
                                             cudaStream_t stream = 0);
cudaStream_t current();

void in_chunks(const float *x, const float *w, float *y, float *z, int n, int chunks, ncclComm_t comm,
               cudaStream_t compute, cudaStream_t comms) {
  cudaEvent_t done;
  cudaEventCreate(&done);
  for (int c = 0; c < chunks; ++c) {
    float *part = y + c * n, *sum = z + c * n;
#ifdef BEFORE
    cudaEventRecord(done, compute);
#endif
    product(x + c * n, w, part, n, n, n, compute);
#if defined(OTHER)
    cudaEventRecord(done, comms);
#elif !defined(BEFORE)
    cudaEventRecord(done, compute);
#endif
#ifndef NO_WAIT
    cudaStreamWaitEvent(comms, done, 0);
#endif
    // CHECK: [[#@LINE+1]]:5: error: 'part' is read by 'ncclAllReduce' while the 'product' of line 22 may still write it: no event orders it behind its stream [spmd-async-hazard]
    ncclAllReduce(part, sum, n, ncclFloat, ncclSum, comm, comms);
  }
  cudaStreamSynchronize(comms);
  cudaEventDestroy(done);
}

// Nothing says that there are two.
void one_or_two(const float *x, const float *w, float *y, float *z, int n, ncclComm_t comm, cudaStream_t compute,
                cudaStream_t comms) {
  product(x, w, y, n, n, n, compute);
  ncclAllReduce(y, z, n, ncclFloat, ncclSum, comm, comms);
}
// Time is measured on the stream of both, which another call may tell, too.
void timed(const float *x, const float *w, float *y, float *z, int n, ncclComm_t comm, cudaStream_t stream,
           cudaEvent_t start, cudaEvent_t stop) {
  cudaEventRecord(start, stream);
  product(x, w, y, n, n, n, stream);
  ncclAllReduce(y, z, n, ncclFloat, ncclSum, comm, current());
  cudaEventRecord(stop, stream);
}
// The host waits in between.
void by_the_host(const float *x, const float *w, float *y, float *z, int n, ncclComm_t comm, cudaStream_t compute,
                 cudaStream_t comms, cudaEvent_t done) {
  product(x, w, y, n, n, n, compute);
  cudaEventRecord(done, compute);
  cudaEventSynchronize(done);
  ncclAllReduce(y, z, n, ncclFloat, ncclSum, comm, comms);
}
