// Members that are set up to point into one allocation are parts of it: what
// kernels do to them, a collective on all of it sees, and so does the optimizer.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Tensors {
  float *w, *b;
};
struct Model {
  Tensors params, grads;
  [[spmd::type("dp: R")]] float *params_memory;
  float *grads_memory;
  int stage;
  [[spmd::axis("dp")]] ncclComm_t comm;
};

float *point(Tensors *t, const int *sizes) {
  float *memory;
  cudaMalloc(&memory, (sizes[0] + sizes[1]) * sizeof(float));
  float **all[] = {&t->w, &t->b};
  float *it = memory;
  for (int i = 0; i < 2; i++) {
    *(all[i]) = it;
    it += sizes[i];
  }
  return memory;
}
void build(Model *m, const int *sizes) {
  m->params_memory = point(&m->params, sizes);
  m->grads_memory = (float *)point(&m->grads, sizes);
}

__global__ void backward(float *dw, const float *w, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dw[i] += w[i] * x[i];
}
__global__ void update(float *w, const float *g, float lr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // CHECK: [[#@LINE+1]]:3: error: from here on 'm.params_memory' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  w[i] -= lr * g[i];
}

static void clear(Model *m, int n) {
  cudaMemset(m->grads_memory, 0, n * sizeof(float));
}

void right(Model *m, [[spmd::type("dp: V")]] const float *x, int n) {
  clear(m, n);
  backward<<<1, 2>>>(m->grads.w, m->params.w, x, n);
  backward<<<1, 2>>>(m->grads.b, m->params.b, x, n);
  ncclAllReduce(m->grads_memory, m->grads_memory, n, ncclFloat, ncclSum,
                m->comm, nullptr);
  update<<<1, 2>>>(m->params_memory, m->grads_memory, 0.1f, n);
  update<<<1, 2>>>(m->params.b, m->grads.b, 0.1f, n);
}

// The member of one struct is what other functions make of it.
static void reduce(Model *m, int n) {
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'm->stage' is not 1
  if (m->stage == 1)
    ncclAllReduce(m->grads_memory, m->grads_memory, n, ncclFloat, ncclSum,
                  m->comm, nullptr);
}
static void step(Model *m, int n) {
  int offset = m->stage == 1 ? n : 0;
  update<<<1, 2>>>(m->params_memory + offset, m->grads_memory + offset, 0.1f,
                   n);
}
void wrong(Model *m, [[spmd::type("dp: V")]] const float *x, int n) {
  clear(m, n);
  backward<<<1, 2>>>(m->grads.w, m->params.w, x, n);
  reduce(m, n);
  step(m, n);
}

// A member that has an annotation is what that says, and pointers to other
// objects are no memory.
struct Node {
  Node *first, *next, *last;
};
struct Acts {
  [[spmd::type("dp: V")]] float *x, *y;
  float *memory;
};
void lay(Acts *a, Node *n, int size) {
  a->x = a->memory;
  a->y = a->memory + size;
  n->next = n->first;
  n->last = n->first + 1;
}
void use(Acts *a, [[spmd::type("dp: R")]] const float *w, int n) {
  backward<<<1, 2>>>(a->y, w, a->x, n);
}

// Zeros are what is added to; what a step leaves unreduced in one function,
// another finds in the same allocation.
static void accumulate(Model *m, const float *x, int n) {
  clear(m, n);
  backward<<<1, 2>>>(m->grads.w, m->params.w, x, n);
  backward<<<1, 2>>>(m->grads.b, m->params.b, x, n);
}
__global__ void descend(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'm.params_memory' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= g[i];
}
static void descendBiases(Model *m, int n) {
  descend<<<1, 2>>>(m->params.b, m->grads.b, n);
}
void dropped(Model *m, [[spmd::type("dp: V")]] const float *x, int n) {
  accumulate(m, x, n);
  descendBiases(m, n);
}
