// Layers of a list that are copied, with functions in their members, which some
// of them lack; and an object that is put aside and taken back, which is sent to
// nobody.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

typedef struct network network;
typedef struct layer layer;
struct layer {
  int n;
  [[spmd::type("dp: R")]] float *w;
  float *grad, *out;
  void (*backward)(layer, network);
  void (*update)(layer, float);
};
struct network {
  layer *layers;
  int n;
  [[spmd::type("dp: V")]] float *input;
};

static void backward_dense(layer l, network net) {
  for (int i = 0; i < l.n; i++)
    l.grad[i] = l.w[i] * net.input[i];
}
static void update_dense(layer l, float rate) {
  for (int i = 0; i < l.n; i++)
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'l.w' must be R on 'dp'
    l.w[i] -= rate * l.grad[i];
}
layer make_dense(int n, float *w, float *grad) {
  layer l = {0};
  l.n = n;
  l.w = w;
  l.grad = grad;
  l.backward = backward_dense;
  l.update = update_dense;
  return l;
}
static void backward_network(network net) {
  network orig = net;
  for (int i = net.n - 1; i >= 0; i--) {
    layer l = net.layers[i];
    if (i == 0)
      net = orig;
    else
      net.input = net.layers[i - 1].out;
    l.backward(l, net);
  }
}
static void sum_network(network net, MPI_Comm dp) {
  for (int i = 0; i < net.n; i++) {
    layer l = net.layers[i];
    MPI_Allreduce(MPI_IN_PLACE, l.grad, l.n, MPI_FLOAT, MPI_SUM, dp);
  }
}
static void update_network(network net, float rate) {
  for (int i = 0; i < net.n; i++) {
    layer l = net.layers[i];
    if (l.update)
      l.update(l, rate);
  }
}
void train([[spmd::axis("dp")]] MPI_Comm dp, network net, float rate) {
  backward_network(net);
#ifndef DROPPED
  sum_network(net, dp);
#endif
  update_network(net, rate);
}
