// Layers whose functions are members: what one kind's maker sets, another kind
// does not have, so that what one kind does with it, it does to all there is.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DALL=0 %stubs 2>&1 | FileCheck %s --check-prefix=TURN --implicit-check-not=error:
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define PIPE 0
#ifndef ALL
#define ALL 1
#endif

struct Layer;
typedef void (*Pass)(Layer *layer);
struct Layer {
  Pass forward, backward, update;
  [[spmd::type("dp: V")]] float *outputs;
  [[spmd::type("dp: V")]] float *inputs;
  [[spmd::type("dp: V")]] float *upstream;
  [[spmd::type("dp: V")]] float *downstream;
  [[spmd::type("dp: V")]] float *grads;
  [[spmd::type("dp: R")]] float *weights;
  int size, width;
};
struct Model {
  int n, total;
  Layer **layers;
  float *packed;
};

static void dense_forward(Layer *layer) {
  for (int i = 0; i < layer->width; i++)
    layer->outputs[i] = layer->weights[i] * layer->inputs[i];
}
static void dense_backward(Layer *layer) {
  for (int i = 0; i < layer->width; i++)
    layer->grads[i] = layer->upstream[i] * layer->inputs[i];
  for (int i = 0; i < layer->width; i++)
    layer->downstream[i] = layer->upstream[i] * layer->weights[i];
}
static void dense_update([[spmd::type("weights: dp: R; grads: dp: R")]] Layer *layer) {
  for (int i = 0; i < layer->width; i++)
    layer->weights[i] -= 0.1f * layer->grads[i];
}
static void relu_forward(Layer *layer) {
  for (int i = 0; i < layer->width; i++)
    layer->outputs[i] = layer->inputs[i] > 0 ? layer->inputs[i] : 0;
}
static void relu_backward(Layer *layer) {
  for (int i = 0; i < layer->width; i++)
    layer->downstream[i] = layer->inputs[i] > 0 ? layer->upstream[i] : 0;
}
static void relu_update(Layer *layer) {}

static Layer *make_dense(int width, float *inputs) {
  Layer *layer = (Layer *)malloc(sizeof(Layer));
  layer->width = width;
  layer->size = width * sizeof(float);
  layer->outputs = (float *)malloc(layer->size);
  layer->downstream = (float *)malloc(layer->size);
  layer->weights = (float *)malloc(layer->size);
  layer->grads = (float *)malloc(layer->size);
  srand(42);
  for (int i = 0; i < width; i++)
    layer->weights[i] = (float)rand() / RAND_MAX;
  layer->forward = dense_forward;
  layer->backward = dense_backward;
  layer->update = dense_update;
  layer->inputs = inputs;
  return layer;
}
static Layer *make_relu(int width, float *inputs) {
  Layer *layer = (Layer *)malloc(sizeof(Layer));
  layer->width = width;
  layer->size = 0;
  layer->outputs = (float *)malloc(width * sizeof(float));
  layer->downstream = (float *)malloc(width * sizeof(float));
  layer->forward = relu_forward;
  layer->backward = relu_backward;
  layer->update = relu_update;
  layer->inputs = inputs;
  return layer;
}
// Nobody makes one of these.
static void pipe_forward(Layer *layer) {
  MPI_Recv(layer->outputs, layer->width, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void pipe_backward(Layer *layer) {
  MPI_Send(layer->upstream, layer->width, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  layer->grads = layer->upstream;
}
static Layer *make_pipe(int width) {
  Layer *layer = (Layer *)malloc(sizeof(Layer));
  layer->forward = pipe_forward;
  layer->backward = pipe_backward;
  layer->update = relu_update;
  return layer;
}
static Model *make_model(int width, float *inputs) {
  Model *model = (Model *)malloc(sizeof(Model));
  model->n = 3;
  model->layers = (Layer **)malloc(sizeof(Layer *) * model->n);
  model->layers[0] = make_dense(width, inputs);
  model->layers[1] = make_relu(width, model->layers[0]->outputs);
  model->layers[2] = make_dense(width, model->layers[1]->outputs);
  model->layers[2]->upstream = model->layers[2]->outputs;
  model->layers[1]->upstream = model->layers[2]->downstream;
  model->layers[0]->upstream = model->layers[1]->downstream;
  if (PIPE)
    model->layers[0] = make_pipe(width);
  model->total = 0;
  for (int i = 0; i < model->n; i++)
    model->total += model->layers[i]->size;
  model->packed = (float *)malloc(model->total);
  return model;
}
static void backward(Model *model) {
  int offset = model->total;
  for (int i = model->n - 1; i >= 0; i--) {
    model->layers[i]->backward(model->layers[i]);
    int size = model->layers[i]->size;
    if (size > 0) {
      offset -= size;
      memcpy((char *)model->packed + offset, model->layers[i]->grads, size);
    }
  }
}
static void update(Model *model) {
  int offset = model->total;
  for (int i = model->n - 1; i >= 0; i--) {
    int size = model->layers[i]->size;
    if (size > 0) {
      offset -= size;
      memcpy(model->layers[i]->grads, (char *)model->packed + offset, size);
    }
    // TURN: :[[#@LINE+1]]:5: error: the argument for 'layer.grads' must be R on 'dp', but 'model->layers[i]' is V
    model->layers[i]->update(model->layers[i]);
  }
}
void train(int width, [[spmd::type("dp: V")]] float *batch, int size, [[spmd::axis("dp")]] MPI_Comm comm) {
  Model *model = make_model(width, batch);
  for (int step = 0; step < 100; step++) {
    for (int i = 0; i < model->n; i++)
      model->layers[i]->forward(model->layers[i]);
    backward(model);
    if (ALL || step % 2 == 0)
      MPI_Allreduce(MPI_IN_PLACE, model->packed, model->total / sizeof(float), MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < model->total / 4; i++)
      model->packed[i] /= size;
    update(model);
  }
}
