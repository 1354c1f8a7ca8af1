// A trainer's main has its model in a variable: what functions lay out there
// are parts of one allocation behind their calls.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DROPPED --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DTWICE %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Tensors {
  float *w, *b;
};
struct Model {
  Tensors p, g;
  [[spmd::type("dp: R")]] float *params_mem;
  float *grads_mem;
  size_t n;
};
static void *carve(Tensors *t, int n) {
  float *mem;
  cudaMalloc((void **)&mem, 2 * n * sizeof(float));
  t->w = mem;
  t->b = mem + n;
  return mem;
}
static void build(Model *m, int n) {
  m->n = n;
  m->params_mem = (float *)carve(&m->p, n);
  m->grads_mem = (float *)carve(&m->g, n);
}
__global__ void backward(float *g, const float *x, int n) {
  for (int i = 0; i < n; i++)
    g[i] += x[i];
}
__global__ void sgd(float *w, const float *g, size_t n) {
  // DROPPED-DAG: [[#@LINE+3]]:5: error: from here on 'm.params_mem' is V on 'dp', and nothing makes it R again
  // DROPPED-DAG: [[#@LINE+2]]:5: error: from here on 'net.params_mem' is V on 'dp', and nothing makes it R again
  for (size_t i = 0; i < n; i++)
    w[i] -= g[i];
}

void built([[spmd::type("dp: V")]] const float *x,
           [[spmd::axis("dp")]] ncclComm_t c, int rounds) {
  Model m;
  build(&m, 4);
  ncclBroadcast(m.params_mem, m.params_mem, 8, ncclFloat, 0, c, nullptr);
  for (int i = 0; i < rounds; i++) {
    cudaMemset(m.grads_mem, 0, m.n * 8);
    backward<<<1, 1>>>(m.g.w, x, m.n);
    backward<<<1, 1>>>(m.g.b, x, m.n);
#ifndef DROPPED
    ncclAllReduce(m.grads_mem, m.grads_mem, 8, ncclFloat, ncclSum, c, nullptr);
#endif
#ifdef TWICE
    // TWICE: [[#@LINE+1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but 'm.grads_mem' is R or I
    ncclAllReduce(m.grads_mem, m.grads_mem, 8, ncclFloat, ncclSum, c, nullptr);
#endif
    sgd<<<1, 1>>>(m.params_mem, m.grads_mem, 2 * m.n);
  }
}

void inPlace([[spmd::type("dp: V")]] const float *x,
             [[spmd::axis("dp")]] ncclComm_t c) {
  Model net;
  net.params_mem = (float *)carve(&net.p, 4);
  net.grads_mem = (float *)carve(&net.g, 4);
  ncclBroadcast(net.params_mem, net.params_mem, 8, ncclFloat, 0, c, nullptr);
  cudaMemset(net.grads_mem, 0, 32);
  backward<<<1, 1>>>(net.g.w, x, 4);
#ifndef DROPPED
  ncclAllReduce(net.grads_mem, net.grads_mem, 8, ncclFloat, ncclSum, c, nullptr);
#endif
  sgd<<<1, 1>>>(net.p.w, net.g.w, 4);
}
