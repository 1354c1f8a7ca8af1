// A stream that is made here is another one than those that are given. Of a function with too many ways, those are
// looked at that make one choice otherwise than the first one does.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DSIDE %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
static void print(const int *first) {
  for (int i = 0; i < 8; ++i)
    if (first[i] > i)
      cudaDeviceGetAttribute(nullptr, cudaDevAttrMaxThreadsPerBlock, first[i]);
}
void layer(const float *sent, float *y, const int *first, int n, int count, ncclComm_t comm,
                  cudaStream_t stream) {
  if (count <= 1 || comm == nullptr) {
    print(first);
    scale<<<1, 32, 0, stream>>>(sent, y, n);
    return;
  }
  float *received = nullptr;
  cudaMalloc(&received, n * sizeof(float));
#ifdef SIDE
  cudaStream_t side;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  ncclAllReduce(sent, received, n, ncclFloat, ncclSum, comm, side);
#else
  ncclAllReduce(sent, received, n, ncclFloat, ncclSum, comm, stream);
#endif
  print(first);
  // CHECK: [[#@LINE+1]]:3: error: 'received' is read by 'scale' while the 'ncclAllReduce' of line 30 may still write it: no event orders it behind 'side' [spmd-async-hazard]
  scale<<<1, 32, 0, stream>>>(received, y, n);
#ifdef SIDE
  cudaStreamDestroy(side);
#endif
  cudaFree(received);
}

// Ordered by an event, by the host, or by the stream of both.
void right(const float *sent, float *received, float *y, int n, ncclComm_t comm, cudaStream_t stream) {
  cudaStream_t side;
  cudaEvent_t done;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  ncclAllReduce(sent, received, n, ncclFloat, ncclSum, comm, side);
  cudaEventRecord(done, side);
  cudaStreamWaitEvent(stream, done, 0);
  scale<<<1, 32, 0, stream>>>(received, y, n);
  cudaStreamSynchronize(stream);
  ncclAllReduce(sent, received, n, ncclFloat, ncclSum, comm, side);
  cudaStreamSynchronize(side);
  scale<<<1, 32, 0, stream>>>(received, y, n);
  cudaStreamDestroy(side);
  cudaEventDestroy(done);
}
// Those that wait for the default stream, which the one that is given may be.
void blocking(const float *sent, float *received, float *y, int n, ncclComm_t comm, cudaStream_t stream) {
  cudaStream_t side;
  cudaStreamCreate(&side);
  ncclAllReduce(sent, received, n, ncclFloat, ncclSum, comm, side);
  scale<<<1, 32, 0, stream>>>(received, y, n);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(side);
}
