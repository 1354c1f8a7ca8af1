// Members that are declared to hold what differs before it is reduced are
// still parts of the memory that they point into.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Params {
  float *w, *b;
};
struct Net {
  float *grads_memory;
  [[spmd::type("dp: R")]] Params p;
  [[spmd::type("dp: V")]] Params g;
  [[spmd::axis("dp")]] ncclComm_t c;
};
void setup(Net *m, size_t a, size_t b) {
  cudaMalloc((void **)&m->grads_memory, (a + b) * sizeof(float));
  m->g.w = m->grads_memory;
  m->g.b = (float *)m->grads_memory + a;
}
__global__ void backward(float *dw, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dw[i] += x[i];
}
__global__ void update(float *w, const float *g, float lr, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 'm.p.b' is V on 'dp', and nothing makes it R again
    w[i] -= lr * g[i];
}

static void accumulate(Net *m, const float *x, size_t n, cudaStream_t s) {
  cudaMemsetAsync(m->grads_memory, 0, n * sizeof(float), s);
  backward<<<1, 32, 0, s>>>(m->g.w, x, n / 2);
  backward<<<1, 32, 0, s>>>(m->g.b, x, n / 2);
}
#ifdef WRONG
void oneHalf(Net *m, [[spmd::type("dp: V")]] const float *x, size_t n,
          cudaStream_t s) {
  accumulate(m, x, n, s);
  ncclAllReduce(m->g.w, m->g.w, n / 2, ncclFloat, ncclSum, m->c, s);
  update<<<1, 32, 0, s>>>(m->p.w, m->g.w, 0.1f, n / 2);
  update<<<1, 32, 0, s>>>(m->p.b, m->g.b, 0.1f, n / 2);
}
void twice(Net *m, [[spmd::type("dp: V")]] const float *x, size_t n,
           cudaStream_t s) {
  accumulate(m, x, n, s);
  ncclAllReduce(m->grads_memory, m->grads_memory, n, ncclFloat, ncclSum, m->c, s);
  // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but 'm.g.b' is R or I
  ncclAllReduce(m->g.b, m->g.b, n / 2, ncclFloat, ncclSum, m->c, s);
  update<<<1, 32, 0, s>>>(m->p.w, m->g.w, 0.1f, n / 2);
}
#else
void whole(Net *m, [[spmd::type("dp: V")]] const float *x, size_t n,
           cudaStream_t s) {
  accumulate(m, x, n, s);
  ncclAllReduce(m->grads_memory, m->grads_memory, n, ncclFloat, ncclSum, m->c, s);
  update<<<1, 32, 0, s>>>(m->p.w, m->g.w, 0.1f, n / 2);
  update<<<1, 32, 0, s>>>(m->p.b, m->g.b, 0.1f, n / 2);
}
void parts(Net *m, [[spmd::type("dp: V")]] const float *x, size_t n,
           cudaStream_t s) {
  accumulate(m, x, n, s);
  ncclAllReduce(m->g.w, m->g.w, n / 2, ncclFloat, ncclSum, m->c, s);
  ncclAllReduce(m->g.b, m->g.b, n / 2, ncclFloat, ncclSum, m->c, s);
  update<<<1, 32, 0, s>>>(m->p.w, m->g.w, 0.1f, n / 2);
  update<<<1, 32, 0, s>>>(m->p.b, m->g.b, 0.1f, n / 2);
}
// What the members hold where a function begins, their annotation says.
void given(Net *m, size_t n, cudaStream_t s) {
  ncclAllReduce(m->g.w, m->g.w, n / 2, ncclFloat, ncclSum, m->c, s);
  update<<<1, 32, 0, s>>>(m->p.w, m->g.w, 0.1f, n / 2);
}
#endif
