// Each iteration adds to the gradients of another layer, and sums them: what
// was summed is that of a layer before. Where it is the same one, it is not.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DONE %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DTWICE %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>
#include <vector>

struct Layer {
  int n;
  [[spmd::type("dp: R")]] float *w;
  float *grad, *delta;
};
struct Net {
  Layer *layers;
  int count;
};
#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s,                          \
      [[spmd::type("dp: V")]] const float *x

__global__ void gradient(float *grad, const float *w, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: 'grad[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'add', and the next sum counts it once per rank
    grad[i] += w[i] * x[i];
}
__global__ void sgd(float *w, const float *grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= grad[i];
}
static void backward(Layer &y, const float *x, cudaStream_t s) {
  gradient<<<1, 256, 0, s>>>(y.grad, y.w, x, y.n);
}
static void sum(Layer *y, ncclComm_t dp, cudaStream_t s) {
  ncclAllReduce(y->grad, y->grad, y->n, ncclFloat, ncclSum, dp, s);
}
static void clear(Net *net, cudaStream_t s) {
  for (int l = 0; l < net->count; ++l)
    cudaMemsetAsync(net->layers[l].grad, 0, net->layers[l].n * sizeof(float), s);
}
static void step(Net *net, cudaStream_t s) {
  for (int l = 0; l < net->count; ++l)
    sgd<<<1, 256, 0, s>>>(net->layers[l].w, net->layers[l].grad, net->layers[l].n);
}

#ifdef ONE
void ofOneLayer(Net *net, ARGUMENTS) {
  clear(net, s);
  Layer &y = net->layers[0];
  for (int k = 0; k < net->count; ++k) {
    backward(y, x, s);
    sum(&y, dp, s);
  }
  step(net, s);
}
#elif defined(TWICE)
void twiceInOneIteration(Net *net, ARGUMENTS) {
  clear(net, s);
  for (int l = net->count - 1; l >= 0; --l) {
    Layer &y = net->layers[l];
    backward(y, x, s);
    sum(&y, dp, s);
    backward(y, x + y.n, s);
    sum(&y, dp, s);
  }
  step(net, s);
}
#else
void byReference(Net *net, ARGUMENTS) {
  clear(net, s);
  for (int l = net->count - 1; l >= 0; --l) {
    Layer &y = net->layers[l];
    backward(y, x, s);
    ncclAllReduce(y.grad, y.grad, y.n, ncclFloat, ncclSum, dp, s);
  }
  step(net, s);
}
void byPointer(Net *net, ARGUMENTS) {
  for (int e = 0; e < 10; ++e) {
    clear(net, s);
    for (int l = net->count - 1; l >= 0; --l) {
      Layer *y = &net->layers[l];
      gradient<<<1, 256, 0, s>>>(y->grad, y->w, x, y->n);
      sum(y, dp, s);
    }
    step(net, s);
  }
}
void inSteps(Net *net, ARGUMENTS) {
  for (int e = 0; e < 10; ++e) {
    clear(net, s);
    for (int l = net->count - 1; l >= 0; --l) {
      Layer &y = net->layers[l];
      backward(y, x, s);
      ncclAllReduce(y.grad, y.grad, y.n, ncclFloat, ncclSum, dp, s);
    }
    step(net, s);
  }
}
void inMicroSteps(Net *net, ARGUMENTS) {
  clear(net, s);
  for (int k = 0; k < 4; ++k)
    for (int l = net->count - 1; l >= 0; --l) {
      Layer *y = &net->layers[l];
      backward(*y, x, s);
      if (k == 3)
        sum(y, dp, s);
    }
  step(net, s);
}
void byRange(std::vector<Layer> &layers, ARGUMENTS) {
  for (auto &y : layers)
    cudaMemsetAsync(y.grad, 0, y.n * sizeof(float), s);
  for (auto &y : layers) {
    backward(y, x, s);
    ncclAllReduce(y.grad, y.grad, y.n, ncclFloat, ncclSum, dp, s);
  }
  for (auto &y : layers)
    sgd<<<1, 256, 0, s>>>(y.w, y.grad, y.n);
}
#endif
