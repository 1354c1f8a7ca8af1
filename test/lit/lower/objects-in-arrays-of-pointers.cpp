// What a struct has that is put into an array of pointers, one of the elements
// has.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DRANKS_OWN -DSENT %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DRANKS_OWN %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stdlib.h>

struct Layer {
  [[spmd::type("dp: V")]] float *outputs;
  [[spmd::type("dp: R")]] float *weights;
  int width;
};
static Layer *make_layer(int width, int rank) {
  Layer *layer = (Layer *)malloc(sizeof(Layer));
  layer->width = width;
  layer->outputs = (float *)malloc(width * sizeof(float));
  layer->weights = (float *)malloc(width * sizeof(float));
#ifdef RANKS_OWN
  srand(42 + rank);
#else
  srand(42);
#endif
  for (int i = 0; i < width; i++)
    // CHECK: :[[#@LINE+1]]:25: error: from here on 'layers.weights' is V on 'dp'
    layer->weights[i] = (float)rand() / RAND_MAX;
  return layer;
}
static void forward(Layer *layer, const float *inputs) {
  for (int i = 0; i < layer->width; i++)
    layer->outputs[i] = layer->weights[i] * inputs[i];
}
void train([[spmd::type("dp: V")]] const float *batch, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  Layer **layers = (Layer **)malloc(2 * sizeof(Layer *));
  layers[0] = make_layer(64, rank);
  layers[1] = make_layer(64, rank);
#ifdef SENT
  for (int i = 0; i < 2; i++)
    MPI_Bcast(layers[i]->weights, layers[i]->width, MPI_FLOAT, 0, comm);
#endif
  for (int i = 0; i < 2; i++)
    forward(layers[i], batch);
}
