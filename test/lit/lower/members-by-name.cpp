// What a parameter's annotation says of a member by name goes before the
// member's own type.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  int n;
};
static void update([[spmd::type("w: dp: R; g: dp: R")]] Layer *layer) {
  for (int i = 0; i < layer->n; i++)
    layer->w[i] -= layer->g[i];
}
void step(Layer *layer, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < layer->n; i++)
    layer->g[i] = x[i];
#ifndef WRONG
  MPI_Allreduce(MPI_IN_PLACE, layer->g, layer->n, MPI_FLOAT, MPI_SUM, comm);
#endif
  // CHECK: :[[#@LINE+1]]:3: error: the argument for 'layer.g' must be R on 'dp', but 'layer.g' is V
  update(layer);
}
