// Streams that nothing orders.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
__global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }

void behind(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  scale<<<1, 32, 0, compute>>>(x);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce' of line [[@LINE-2]] may still use it: no event orders it behind 'transfer' [spmd-async-hazard]
}

void before(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  scale<<<1, 32, 0, compute>>>(x);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  // CHECK: [[@LINE-1]]:3: error: 'x' is read by 'ncclAllReduce' while the 'scale' of line [[@LINE-2]] may still write it: no event orders it behind 'compute' [spmd-async-hazard]
}

void read(float *x, float *y, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  add<<<1, 32, 0, compute>>>(x, y);
  // CHECK: [[@LINE-1]]:3: error: 'x' is read by 'add' on 'compute' while the 'ncclAllReduce'
}

void recorded_too_early(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaEvent_t done;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  cudaStreamWaitEvent(compute, done, 0);
  scale<<<1, 32, 0, compute>>>(x);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce'
}

void wrong_event(float *x, float *y, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer, other;
  cudaEvent_t done, last;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  cudaStreamCreate(&other);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&last, cudaEventDisableTiming);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  cudaEventRecord(done, transfer);
  scale<<<1, 32, 0, other>>>(y);
  cudaEventRecord(last, other);
  cudaStreamWaitEvent(compute, last, 0);
  scale<<<1, 32, 0, compute>>>(x);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce'
}

void wrong_stream(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  cudaStreamSynchronize(compute);
  scale<<<1, 32, 0, compute>>>(x);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce'
}

void apart_from_the_default(float *x, float *host, size_t n, ncclComm_t comm) {
  cudaStream_t transfer;
  cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  cudaMemcpy(host, x, n * sizeof *x, cudaMemcpyDeviceToHost);
  // CHECK: [[@LINE-1]]:3: error: 'x' is read by 'cudaMemcpy' on 'the default stream' while the 'ncclAllReduce'
}

void copied(float *x, float *y, size_t n, ncclComm_t comm) {
  cudaStream_t copies, transfer;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&transfer);
  cudaMemcpyAsync(x, y, n * sizeof *x, cudaMemcpyDeviceToDevice, copies);
  ncclAllGather(x, y, n, ncclFloat, comm, transfer);
  // CHECK: [[@LINE-1]]:3: error: '{{[xy]}}' is {{read|written}} by 'ncclAllGather' while the 'cudaMemcpyAsync'
}

void cleared(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclReduce(x, x, n, ncclFloat, ncclSum, 0, comm, transfer);
  cudaMemsetAsync(x, 0, n * sizeof *x, compute);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'cudaMemsetAsync' on 'compute' while the 'ncclReduce'
}

void freed(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  cudaFreeAsync(x, compute);
  // CHECK: [[@LINE-1]]:3: error: 'x' is given back by 'cudaFreeAsync' while the 'ncclAllReduce'
}

void managed(size_t n, ncclComm_t comm, cudaStream_t s) {
  float *x;
  cudaMallocManaged(&x, n * sizeof *x);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host while the 'ncclAllReduce' of line [[@LINE-2]] may still use it: the host does not wait for 's' [spmd-async-hazard]
  cudaStreamSynchronize(s);
}

void overlapped(float *grads[2], size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  for (int i = 0; i < 2; ++i) {
    scale<<<1, 32, 0, compute>>>(grads[i]);
    ncclAllReduce(grads[i], grads[i], n, ncclFloat, ncclSum, comm, transfer);
    // CHECK: [[@LINE-1]]:5: error: 'grads[i]' is read by 'ncclAllReduce' while the 'scale'
  }
}

static void step(float *x, cudaStream_t s) { scale<<<1, 32, 0, s>>>(x); }
// CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce'
void by_a_helper(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  step(x, compute);
}

void blas(cublasHandle_t handle, float *w, float *x, float *y, size_t n,
          ncclComm_t comm) {
  const float one = 1, zero = 0;
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  cublasSetStream(handle, compute);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, w, 8, x, 8,
              &zero, y, 8);
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, comm, transfer);
  // CHECK: [[@LINE-1]]:3: error: 'y' is read by 'ncclAllReduce' while the 'cublasSgemm'
}

void inside_of_a_group(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  ncclGroupStart();
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, transfer);
  ncclGroupEnd();
  scale<<<1, 32, 0, compute>>>(x);
  // CHECK: [[@LINE-1]]:3: error: 'x' is written by 'scale' on 'compute' while the 'ncclAllReduce'
}

void left_open(float *x, size_t n, bool skip, ncclComm_t comm,
               cudaStream_t s) {
  ncclGroupStart();
  // CHECK: [[@LINE-1]]:3: error: this 'ncclGroupStart' is not ended on every way, so that what follows is never put on its streams [spmd-async-hazard]
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s);
  if (skip)
    return;
  ncclGroupEnd();
}

void two_collectives(float *x, size_t n, ncclComm_t a, ncclComm_t b) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  ncclReduceScatter(x, x, n, ncclFloat, ncclSum, a, s);
  ncclAllGather(x, x, n, ncclFloat, b, t);
  // CHECK: [[@LINE-1]]:3: error: 'x' is {{read|written}} by 'ncclAllGather' while the 'ncclReduceScatter'
}

void oneBufferInAGroup(float *x, float *y, size_t n, ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  ncclAllReduce(x, y, n, ncclFloat, ncclSum, comm, stream);
  // CHECK: [[#@LINE-1]]:3: error: 'x' is read by 'ncclAllReduce' while the 'ncclAllReduce' of line [[#@LINE-2]] may still write it: the calls of a group run at once [spmd-async-hazard]
  ncclGroupEnd();
}
