// Which places of a buffer a pointer goes to: those that a thread or a loop
// takes in its turn are elements of it, what lies behind a size is a part.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Job {
  [[spmd::axis("dp")]] ncclComm_t comm;
};
void use([[spmd::type("dp: R")]] const float *x);

__global__ void embed(float *out, const int *in, const float *table, int rows,
                      int columns) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int row = at / columns, column = at % columns;
  float *to = out + row * columns + column;
  const float *from = table + in[row] * columns + column;
  *to = *from + 1;
}
void of_threads([[spmd::type("dp: V")]] const int *in,
                [[spmd::type("dp: R")]] const float *table, float *out, int n) {
  embed<<<n, 32>>>(out, in, table, n, n);
  use(out);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'out' is V: {{.*}} [spmd-contract]
}

__global__ void scale(float *x, int n) {
  x += blockIdx.x * n;
  x[threadIdx.x] *= 2;
}
__global__ void copy(float *to, const float *from) {
  to[threadIdx.x] = from[threadIdx.x];
}
void of_layers([[spmd::type("dp: V")]] const float *in, float *out, int layers,
               int n) {
  for (int l = layers - 1; l >= 0; l--) {
    float *layer = out + l * n;
    copy<<<1, 32>>>(layer, in);
    scale<<<1, 32>>>(layer, n);
  }
  use(out);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'out' is V: {{.*}} [spmd-contract]
}

// One allocation for two things: what is done to one says nothing of the other.
void load(float *);
void two_parts([[spmd::type("dp: V")]] const float *in, float *space, int n) {
  float *weights = space, *values = space + n;
  load(weights);
  copy<<<1, 32>>>(values, in);
  use(weights);
  use(space);
}
// Nor of what is known of it: only the two together differ.
void three_parts([[spmd::type("dp: V")]] const float *in, float *space, int n) {
  float *a = space + n, *b = space + 2 * n;
  copy<<<1, 32>>>(a, in);
  copy<<<1, 32>>>(b, in);
  use(a);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'a' is V: {{.*}} [spmd-contract]
}
// Wherever it lies, a part that differs makes the whole differ.
void into_replica(const Job &job, [[spmd::type("dp: V")]] const float *in,
                  [[spmd::type("dp: R")]] float *weights, int n) {
  copy<<<1, 32>>>(weights + n, in);
  // CHECK: [[#@LINE-2]]:32: error: parameter 'weights' on exit must be R on 'dp', but 'weights' is V: {{.*}} [spmd-contract]
}
void gathered(const Job &job, [[spmd::type("dp: V")]] const float *in,
              [[spmd::type("dp: R")]] float *weights, int n) {
  float *part = weights + n;
  copy<<<1, 32>>>(part, in);
  ncclAllGather(part, weights, n, ncclFloat, job.comm, 0);
}

// Shared memory with a flag behind the data.
__global__ void sum(float *out, const float *in, unsigned *blocks, int n) {
  extern __shared__ float shared[];
  float *first = shared, *second = shared + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    first[i] = second[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    first[i] += in[i];
    second[i] += in[i];
  }
  unsigned *flag = (unsigned *)(shared + 2 * n);
  if (threadIdx.x == 0)
    *flag = atomicInc(blocks, gridDim.x);
  __syncthreads();
  if (*flag == gridDim.x - 1)
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      out[i] = first[i] + second[i];
}
void summed([[spmd::type("dp: V")]] const float *in, float *out,
            unsigned *blocks, int n) {
  sum<<<1, 32>>>(out, in, blocks, n);
  use(out);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'out' is V: {{.*}} [spmd-contract]
}
// CHECK: 5 errors
