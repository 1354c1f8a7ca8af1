// Functions that members of structs hold: a call of a member reaches those that
// the file puts there.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

struct Layer;
typedef void (*Update)(Layer *layer, float rate);
struct Layer {
  Update update;
  void (*forward)(Layer *layer, const float *x, float *y);
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  int n;
};
static void dense_update([[spmd::type("w: dp: R; g: dp: R")]] Layer *layer, float rate) {
  for (int i = 0; i < layer->n; i++)
    layer->w[i] -= rate * layer->g[i];
}
static void no_update(Layer *, float) {}
static void dense_forward(Layer *layer, const float *x, float *y) {
  for (int i = 0; i < layer->n; i++)
    y[i] = layer->w[i] * x[i];
}
static void relu_forward(Layer *layer, const float *x, float *y) {
  for (int i = 0; i < layer->n; i++)
    y[i] = x[i] > 0 ? x[i] : 0;
}
Layer *dense(int n) {
  Layer *l = new Layer;
  l->n = n;
  l->update = dense_update;
  l->forward = dense_forward;
  return l;
}
Layer *relu() {
  Layer *l = new Layer;
  *l = {no_update, &relu_forward, nullptr, nullptr, 0};
  return l;
}
void step(Layer **layers, int count, const float *x, [[spmd::type("dp: V")]] float *y, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < count; i++)
    layers[i]->forward(layers[i], x, y);
  for (int i = 0; i < count; i++)
    layers[i]->g[0] = y[0];
#ifndef WRONG
  for (int i = 0; i < count; i++)
    MPI_Allreduce(MPI_IN_PLACE, layers[i]->g, layers[i]->n, MPI_FLOAT, MPI_SUM, comm);
#endif
  for (int i = 0; i < count; i++)
    // CHECK: error: the argument for 'layer.g' must be R on 'dp'
    layers[i]->update(layers[i], 0.1f);
}
