// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DDROPPED 2>&1 | FileCheck %s --implicit-check-not=error:
// What the structs in the elements of a list have is what all of them do: the
// gradients of `layers[l].b` are not reduced, by whatever element they are
// named.
#include <mpi.h>
#include <stdlib.h>
struct Parameter {
  [[spmd::type("dp: R")]] float *data;
  float *grad;
  int n;
};
struct Layer {
  Parameter w, b;
};
struct Net {
  Layer *layers;
  int count;
};

static void make(Parameter &p, int n) {
  p.data = (float *)malloc(n * sizeof(float));
  p.grad = (float *)calloc(n, sizeof(float));
  p.n = n;
}

static void backward(Net *net, [[spmd::type("dp: V")]] const float *x) {
  for (int l = net->count - 1; l >= 0; --l) {
    Layer &y = net->layers[l];
    for (int j = 0; j < y.w.n; ++j)
      y.w.grad[j] += x[j] * y.w.data[j];
    y.b.grad[0] += x[0];
  }
}
static void step(Net *net, float rate) {
  for (int l = 0; l < net->count; ++l) {
    Layer &y = net->layers[l];
    for (int j = 0; j < y.w.n; ++j)
      y.w.data[j] -= rate * y.w.grad[j];
    for (int j = 0; j < y.b.n; ++j)
      y.b.data[j] -= rate * y.b.grad[j];
  }
}

void train([[spmd::type("dp: V")]] const float *x,
           [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = {(Layer *)malloc(3 * sizeof(Layer)), 3};
  for (int l = 0; l < net.count; ++l) {
    make(net.layers[l].w, 64);
    make(net.layers[l].b, 8);
  }
  backward(&net, x);
  for (int l = 0; l < net.count; ++l) {
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].w.grad, net.layers[l].w.n,
                  MPI_FLOAT, MPI_SUM, comm);
#ifndef DROPPED
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].b.grad, net.layers[l].b.n,
                  MPI_FLOAT, MPI_SUM, comm);
#endif
  }
  step(&net, 0.1f);
}
// RIGHT: no findings
// CHECK: structs-in-elements.cpp:41:7: error: the value stored in 'y.b.data' must be R on 'dp', but 'y.b.data[j] -= rate * y.b.grad[j]' is V: the ranks hold different values, which are taken for one [spmd-contract]
