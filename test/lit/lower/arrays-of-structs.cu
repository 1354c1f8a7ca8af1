// What one element of an array of structs has in a member, all have: a loop over
// them sees what another one left, by subscripts, by pointers, and in callees.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Layer {
  int n;
  [[spmd::type("dp: R")]] float *w;
  float *dw;
};
struct Net {
  Layer layers[8];
  int count;
  [[spmd::axis("dp")]] ncclComm_t comm;
};

__global__ void gradient(float *dw, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dw[i] = x[i];
}
__global__ void sgd(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: from here on '{{.*}}' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= g[i];
}
static void backward(Net *net, const float *x) {
  for (int i = net->count - 1; i >= 0; --i) {
    Layer *l = &net->layers[i];
    gradient<<<1, 2>>>(l->dw, x, l->n);
  }
}
static void reduce(Net *net) {
  for (int i = 0; i < net->count; ++i)
    ncclAllReduce(net->layers[i].dw, net->layers[i].dw, net->layers[i].n,
                  ncclFloat, ncclSum, net->comm, 0);
}
static void stepOf(Layer *l) { sgd<<<1, 2>>>(l->w, l->dw, l->n); }
static void step(Net *net) {
  for (int i = 0; i < net->count; ++i)
    stepOf(&net->layers[i]);
}

void right(Net *net, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  reduce(net);
  step(net);
}
void forgotten(Net *net, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  step(net);
}
// One after the other, by their numbers: each is reduced once.
void oneByOne(Net *net, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  Layer *first = &net->layers[0];
  ncclAllReduce(first->dw, first->dw, first->n, ncclFloat, ncclSum, net->comm,
                0);
  ncclAllReduce(net->layers[1].dw, net->layers[1].dw, net->layers[1].n,
                ncclFloat, ncclSum, net->comm, 0);
  step(net);
}
// In two halves.
void halves(Net *net, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  for (int i = 0; i < net->count / 2; ++i)
    ncclAllReduce(net->layers[i].dw, net->layers[i].dw, net->layers[i].n,
                  ncclFloat, ncclSum, net->comm, 0);
  for (int i = net->count / 2; i < net->count; ++i)
    ncclAllReduce(net->layers[i].dw, net->layers[i].dw, net->layers[i].n,
                  ncclFloat, ncclSum, net->comm, 0);
  step(net);
}
