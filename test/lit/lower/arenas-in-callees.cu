// What functions do to parts of one allocation, others find: a part that one of
// them reduces does not hide another that nobody does, and a list of some parts
// does not stand for all.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Tensors {
  float *w, *b, *h;
};
struct Model {
  [[spmd::type("dp: R")]] Tensors params;
  Tensors grads;
  [[spmd::type("dp: R")]] float *params_memory;
  float *grads_memory;
  [[spmd::type("dp: V")]] float *x;
  [[spmd::axis("dp")]] ncclComm_t comm;
};

float *point(Tensors *t, const int *sizes) {
  float *memory;
  cudaMalloc(&memory, (sizes[0] + sizes[1] + sizes[2]) * sizeof(float));
  float **all[] = {&t->w, &t->b, &t->h};
  float *it = memory;
  for (int i = 0; i < 3; i++) {
    *(all[i]) = it;
    it += sizes[i];
  }
  return memory;
}
void build(Model *m, const int *sizes) {
  m->params_memory = point(&m->params, sizes);
  m->grads_memory = point(&m->grads, sizes);
}

__global__ void product(float *dw, const float *w, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dw[i] += w[i] * x[i];
}
static void backward(Model *m, int n) {
  const Tensors params = m->params, grads = m->grads;
  cudaMemset(m->grads_memory, 0, n * sizeof(float));
  product<<<1, 2>>>(grads.h, params.h, m->x, n);
  product<<<1, 2>>>(grads.b, params.b, m->x, n);
  product<<<1, 2>>>(grads.w, params.w, m->x, n);
}
static void reduce(float *g, int n, ncclComm_t comm) {
  ncclAllReduce(g, g, n, ncclFloat, ncclAvg, comm, nullptr);
}

__global__ void updateRight(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= g[i];
}
static void oneByOne(Model *m, int n) {
  reduce(m->grads.w, n, m->comm);
  reduce(m->grads.b, n, m->comm);
}
void right(Model *m, int n) {
  backward(m, n);
  oneByOne(m, n);
  reduce(m->grads.h, n, m->comm);
  updateRight<<<1, 2>>>(m->params_memory, m->grads_memory, n);
}
static void byList(Model *m, int n) {
  float *const some[] = {m->grads.w, m->grads.b, m->grads.h};
  for (int i = 0; i < 3; i++)
    ncclAllReduce(some[i], some[i], n, ncclFloat, ncclAvg, m->comm, nullptr);
}
void rightByList(Model *m, int n) {
  backward(m, n);
  byList(m, n);
  updateRight<<<1, 2>>>(m->params_memory, m->grads_memory, n);
}

__global__ void updateTwoOfThree(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'm.params_memory' is V on 'dp'
    w[i] -= g[i];
}
void twoOfThree(Model *m, int n) {
  backward(m, n);
  oneByOne(m, n);
  updateTwoOfThree<<<1, 2>>>(m->params_memory, m->grads_memory, n);
}

__global__ void updateListOfTwo(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'm.params_memory' is V on 'dp'
    w[i] -= g[i];
}
static void listOfTwo(Model *m, int n) {
  float *const some[] = {m->grads.w, m->grads.h};
  for (int i = 0; i < 2; i++)
    ncclAllReduce(some[i], some[i], n, ncclFloat, ncclAvg, m->comm, nullptr);
}
void listLeavesOneOut(Model *m, int n) {
  backward(m, n);
  listOfTwo(m, n);
  updateListOfTwo<<<1, 2>>>(m->params_memory, m->grads_memory, n);
}

// What is written to all of it, lists of its parts find as well.
__global__ void updateCleared(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= g[i];
}
void reducedAsOne(Model *m, int n) {
  float *const all[] = {m->grads.w, m->grads.b, m->grads.h};
  backward(m, n);
  ncclAllReduce(m->grads_memory, m->grads_memory, n, ncclFloat, ncclAvg,
                m->comm, nullptr);
  for (int i = 0; i < 3; i++)
    updateCleared<<<1, 2>>>(m->params_memory, all[i], n);
}
