// Streams that are ordered, or of which nobody knows: no finding.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
  return

__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
__global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }
__global__ void show(float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }

static void sum(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s);
}

void one_stream(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  scale<<<1, 32, 0, s>>>(x);
  sum(x, n, comm, s);
  scale<<<1, 32, 0, s>>>(x);
}

void unknown_streams(float *x, size_t n, ncclComm_t comm, cudaStream_t s,
                     cudaStream_t t) {
  sum(x, n, comm, s);
  scale<<<1, 32, 0, t>>>(x);
}

void by_events(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaEvent_t ready, done;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  scale<<<1, 32, 0, compute>>>(x);
  CHECK(cudaEventRecord(ready, compute));
  CHECK(cudaStreamWaitEvent(transfer, ready, 0));
  sum(x, n, comm, transfer);
  CHECK(cudaEventRecord(done, transfer));
  CHECK(cudaStreamWaitEvent(compute, done, 0));
  scale<<<1, 32, 0, compute>>>(x);
}

void through_a_third(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t a, b, c;
  cudaEvent_t e, f;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreate(&c);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&f, cudaEventDisableTiming);
  sum(x, n, comm, a);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(c, f, 0);
  scale<<<1, 32, 0, c>>>(x);
}

void host_waits(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  sum(x, n, comm, a);
  cudaStreamSynchronize(a);
  scale<<<1, 32, 0, b>>>(x);
}

void device_waits(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  scale<<<1, 32, 0, b>>>(x);
  cudaDeviceSynchronize();
  sum(x, n, comm, a);
}

void default_stream(float *x, float *host, size_t n, ncclComm_t comm) {
  cudaStream_t a;
  cudaStreamCreate(&a);
  sum(x, n, comm, a);
  scale<<<1, 32>>>(x);
  cudaMemcpy(host, x, n * sizeof *x, cudaMemcpyDeviceToHost);
  sum(x, n, comm, a);
}

void only_read(const float *x, float *out, float *y, size_t n,
               ncclComm_t comm) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  ncclAllReduce(x, out, n, ncclFloat, ncclSum, comm, a);
  add<<<1, 32, 0, b>>>(x, y);
  show<<<1, 32, 0, b>>>(const_cast<float *>(x), y);
  cudaDeviceSynchronize();
}

void other_buffer(float *x, float *y, size_t n, ncclComm_t comm) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  sum(x, n, comm, a);
  scale<<<1, 32, 0, b>>>(y);
}

void overlapped(float *grads[4], size_t n, ncclComm_t comm) {
  cudaStream_t compute, transfer;
  cudaEvent_t ready[4];
  cudaStreamCreate(&compute);
  cudaStreamCreate(&transfer);
  for (int i = 0; i < 4; ++i)
    cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming);
  for (int i = 3; i >= 0; --i) {
    scale<<<1, 32, 0, compute>>>(grads[i]);
    cudaEventRecord(ready[i], compute);
    cudaStreamWaitEvent(transfer, ready[i], 0);
    sum(grads[i], n, comm, transfer);
  }
  cudaStreamSynchronize(transfer);
}

void grouped(float *x, float *y, size_t n, ncclComm_t comm, cudaStream_t s) {
  ncclGroupStart();
  ncclSend(x, n, ncclFloat, 1, comm, s);
  ncclRecv(y, n, ncclFloat, 1, comm, s);
  ncclGroupEnd();
  add<<<1, 32, 0, s>>>(y, x);
}

void group_joins(float *x, float *y, size_t n, ncclComm_t a, ncclComm_t b) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  ncclGroupStart();
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, a, s);
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, b, t);
  ncclGroupEnd();
  scale<<<1, 32, 0, t>>>(x);
}

class Pipe {
public:
  void open() { ncclGroupStart(); }
  void send(const float *x, size_t n) {
    ncclSend(x, n, ncclFloat, 1, comm, stream);
  }
  void close() { ncclGroupEnd(); }

private:
  ncclComm_t comm;
  cudaStream_t stream;
};

void blas(cublasHandle_t handle, float *w, float *x, float *y, size_t n,
          ncclComm_t comm) {
  const float one = 1, zero = 0;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cublasSetStream(handle, s);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, w, 8, x, 8,
              &zero, y, 8);
  sum(y, n, comm, s);
}

void blas_elsewhere(cublasHandle_t handle, float *w, float *x, float *y,
                    size_t n, ncclComm_t comm) {
  const float one = 1, zero = 0;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, w, 8, x, 8,
              &zero, y, 8);
  sum(y, n, comm, s);
}

void freed_in_order(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  sum(x, n, comm, s);
  cudaFreeAsync(x, s);
}

void freed_by_all(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  sum(x, n, comm, s);
  cudaFree(x);
}

void finish(cudaStream_t s);
void waits_elsewhere(float *x, size_t n, ncclComm_t comm) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  sum(x, n, comm, a);
  finish(a);
  scale<<<1, 32, 0, b>>>(x);
}

void managed(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  sum(x, n, comm, s);
  cudaStreamSynchronize(s);
  x[0] = 1;
}

// Of no type that there is do all parts begin at one place.
static size_t bytes(ncclDataType_t type) {
  switch (type) {
  case ncclFloat:
    return 4;
  case ncclDouble:
    return 8;
  default:
    return 0;
  }
}
void doubling(char *x, size_t n, ncclDataType_t type, ncclComm_t comm,
              cudaStream_t s) {
  int rank, ranks;
  ncclCommUserRank(comm, &rank);
  ncclCommCount(comm, &ranks);
  const size_t part = n * bytes(type);
  for (int step = 1; step < ranks; step *= 2) {
    const int own = rank & ~(step - 1);
    ncclGroupStart();
    ncclSend(x + own * part, n * step, type, rank ^ step, comm, s);
    ncclRecv(x + (own ^ step) * part, n * step, type, rank ^ step, comm, s);
    ncclGroupEnd();
  }
}
