// What the host reads of memory that a kernel or a copy still writes, and what it has waited for.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

#ifdef WRONG
#define WAIT(call)
#else
#define WAIT(call) call
#endif

__global__ void convert(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void elsewhere(float *out, float *in);
[[spmd::op("nonlinear")]] int sample(const float *logits, int n);
[[spmd::op("nonlinear")]] float reduce(const float *x, int n);
float now(float x);

struct State {
  float *x, *logits;
};

static void allocate(State &s, int n) {
  cudaMalloc(&s.x, n * sizeof(float));
  cudaMallocHost(&s.logits, n * sizeof(float));
}
static void forward(State &s, int n, ncclComm_t comm, cudaStream_t stream) {
  ncclAllReduce(s.x, s.x, n, ncclFloat, ncclSum, comm, stream);
  convert<<<1, 32, 0, stream>>>(s.logits, s.x);
}

int by_an_op(int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  State s;
  allocate(s, n);
  forward(s, n, comm, stream);
  WAIT(cudaStreamSynchronize(stream));
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 's.logits' is read by 'sample' while the 'convert' of line 29 may still write it: the host does not wait for 'stream' [spmd-async-hazard]
  return sample(s.logits, n);
}

float by_the_host(int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *x, *host;
  cudaMalloc(&x, n * sizeof(float));
  cudaMallocManaged(&host, n * sizeof(float));
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  WAIT(cudaDeviceSynchronize());
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'host' is read by the host while the 'cudaMemcpyAsync' of line [[#@LINE-2]] may still write it: the host does not wait for 'stream' [spmd-async-hazard]
  return host[0] * 2;
}

/// Another stream has nothing to do with it.
float of_other_streams(int n, ncclComm_t comm) {
  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  float *x, *host;
  cudaMalloc(&x, n * sizeof(float));
  cudaHostAlloc(&host, n * sizeof(float), 0);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
#ifdef WRONG
  cudaStreamSynchronize(other);
#else
  cudaStreamSynchronize(stream);
#endif
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'host' is read by the host while the 'cudaMemcpyAsync'
  return host[0] * 2;
}

//===--- Right ---------------------------------------------------------------//

/// The runtime waits for a copy to memory that is not page-locked.
float pageable(float *x, float *host, int n, ncclComm_t comm, cudaStream_t stream) {
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  return host[0] * 2;
}

/// By an event, or by a copy that waits.
float waited(int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaEvent_t done;
  cudaStreamCreate(&stream);
  cudaEventCreate(&done);
  State s;
  allocate(s, n);
  forward(s, n, comm, stream);
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  float first = s.logits[0] * 2;
  forward(s, n, comm, stream);
  float host[4];
  cudaMemcpy(host, s.x, sizeof host, cudaMemcpyDeviceToHost);
  return first + s.logits[0];
}

/// Who waits for a stream that comes from elsewhere may wait for any.
struct Streams {
  cudaStream_t compute, copies;
};
float elsewhere_waited(Streams &all, int n, ncclComm_t comm, cudaStream_t given) {
  State s;
  allocate(s, n);
  forward(s, n, comm, all.compute);
  cudaStreamSynchronize(given);
  return s.logits[0] * 2;
}
/// Of other calls of the runtime nobody knows what they wait for.
__device__ float where;
float by_other_calls(int n, ncclComm_t comm) {
  float x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  State s;
  allocate(s, n);
  forward(s, n, comm, stream);
  cudaMemcpyFromSymbol(&x, where, sizeof x);
  return s.logits[0] * 2;
}

/// An op may itself be a kernel, in the order of the default stream; and who is given memory that it need not write may
/// read it.
float on_the_device(float *x, int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *managed, *pinned;
  cudaMallocManaged(&managed, n * sizeof(float));
  cudaMallocHost(&pinned, n * sizeof(float));
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  convert<<<1, 32, 0, stream>>>(managed, x);
  float sum = reduce(managed, n);
  elsewhere<<<1, 32, 0, stream>>>(x, pinned);
  return sum + pinned[0];
}

/// Both read.
float both(float *x, int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *pinned;
  cudaMallocHost(&pinned, n * sizeof(float));
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  convert<<<1, 32, 0, stream>>>(x, pinned);
  return pinned[0] * 2;
}

/// Who polls means to be early.
void polls(float *x, int n, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *flag;
  cudaMallocHost(&flag, sizeof(float));
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
  convert<<<1, 1, 0, stream>>>(flag, x);
  volatile float *seen = flag;
  while (*seen == 0)
    ;
}
