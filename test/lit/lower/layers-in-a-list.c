// What is done to some layers of an array of structs is not done to the others:
// conditions on the number of a layer, and loops that leave some out, are ways.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

typedef struct {
  [[spmd::type("dp: R")]] float *w;
  float *dw;
  int n;
} Layer;
typedef struct {
  Layer *layers;
  int count, frozen;
} Net;

static void backward(Net *net, const float *x) {
  for (int l = 0; l < net->count; l++)
    for (int i = 0; i < net->layers[l].n; i++)
      net->layers[l].dw[i] = net->layers[l].w[i] * x[i];
}
#define REDUCE(l) MPI_Allreduce(MPI_IN_PLACE, net->layers[l].dw, net->layers[l].n, MPI_FLOAT, MPI_SUM, dp)
#define UPDATE(l)                                 \
  for (int i = 0; i < net->layers[l].n; i++)      \
    net->layers[l].w[i] -= 0.1f * net->layers[l].dw[i]
#define ARGUMENTS [[spmd::axis("dp")]] MPI_Comm dp, Net *net, [[spmd::type("dp: V")]] const float *x

void allButFirst(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++)
    // CHECK-DAG: [[#@LINE+1]]:9: note: for the elements where 'l' is 0
    if (l > 0)
      REDUCE(l);
  for (int l = 0; l < net->count; l++) {
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'w' must be R on 'dp'
    UPDATE(l);
  }
}
void fromSecond(ARGUMENTS) {
  backward(net, x);
  // CHECK-DAG: [[#@LINE+1]]:19: note: for the elements where 'l' is 0
  for (int l = 1; l < net->count; l++)
    REDUCE(l);
  for (int i = 0; i < net->count; i++) {
    float *w = net->layers[i].w, *dw = net->layers[i].dw;
    for (int j = 0; j < net->layers[i].n; j++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'net.layers.w' is V on 'dp'
      w[j] -= 0.1f * dw[j];
  }
}
void half(ARGUMENTS) {
  backward(net, x);
  // CHECK-DAG: [[#@LINE+1]]:19: note: for the elements where 'l < net->count / 2' does not hold
  for (int l = 0; l < net->count / 2; l++)
    REDUCE(l);
  for (int l = 0; l < net->count; l++) {
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'w' must be R on 'dp'
    UPDATE(l);
  }
}
void eachSecond(ARGUMENTS) {
  backward(net, x);
  // CHECK-DAG: [[#@LINE+1]]:19: note: for the elements where 'l % 2' is not 0
  for (int l = 0; l < net->count; l += 2)
    REDUCE(l);
  for (int l = 0; l < net->count; l++) {
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'w' must be R on 'dp'
    UPDATE(l);
  }
}
void skipsLast(ARGUMENTS) {
  backward(net, x);
  for (int l = net->count - 1; l >= 0; l--) {
    // CHECK-DAG: [[#@LINE+1]]:9: note: for the elements where 'l == net->count - 1' holds
    if (l == net->count - 1)
      continue;
    REDUCE(l);
  }
  for (int l = 0; l < net->count; l++) {
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'w' must be R on 'dp'
    UPDATE(l);
  }
}

void firstForAll(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++)
    // CHECK-DAG: [[#@LINE+1]]:5: note: for the elements where 'l' is not 0
    REDUCE(0);
  for (int l = 0; l < net->count; l++) {
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'w' must be R on 'dp'
    UPDATE(l);
  }
}

//===--- Right ------------------------------------------------------------===//

void all(ARGUMENTS) {
  backward(net, x);
  for (int l = net->count - 1; l >= 0; l--)
    REDUCE(l);
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void firstByItself(ARGUMENTS) {
  backward(net, x);
  REDUCE(0);
  for (int l = 1; l < net->count; l++)
    REDUCE(l);
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void oneBehind(ARGUMENTS) {
  backward(net, x);
  for (int l = net->count - 1; l >= 0; l--)
    if (l < net->count - 1)
      REDUCE(l + 1);
  REDUCE(0);
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void frozen(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++)
    if (l >= net->frozen)
      REDUCE(l);
  for (int k = 0; k < net->count; k++) {
    if (k < net->frozen)
      continue;
    UPDATE(k);
  }
}
void inputHasNoWeights(ARGUMENTS) {
  backward(net, x);
  for (int l = 1; l < net->count; l++)
    REDUCE(l);
  for (int k = 1; k < net->count; k++)
    UPDATE(k);
}
void evenAndOdd(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l += 2)
    REDUCE(l);
  for (int l = 1; l < net->count; l += 2)
    REDUCE(l);
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void eachCase(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++) {
    if (l == 0)
      REDUCE(l);
    if (l > 0)
      REDUCE(l);
  }
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void decayed(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++) {
    REDUCE(l); // of another layer than what follows
    for (int i = 0; i < net->layers[l].n; i++)
      net->layers[l].dw[i] += 0.01f * net->layers[l].w[i];
  }
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
static void reduceAndDecay(Layer *layer, MPI_Comm dp) {
  MPI_Allreduce(MPI_IN_PLACE, layer->dw, layer->n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < layer->n; i++)
    layer->dw[i] += 0.01f * layer->w[i];
}
void decayedByCallee(ARGUMENTS) {
  backward(net, x);
  for (int l = 0; l < net->count; l++)
    reduceAndDecay(&net->layers[l], dp);
  for (int l = 0; l < net->count; l++)
    UPDATE(l);
}
void firstTwo(ARGUMENTS) {
  backward(net, x);
  REDUCE(0);
  REDUCE(1);
  for (int l = 0; l < 2; l++)
    UPDATE(l);
}
void onlyOne(ARGUMENTS) {
  for (int l = 0; l < net->count; l++)
    for (int i = 0; i < net->layers[l].n; i++)
      net->layers[l].dw[i] = 0;
  for (int i = 0; i < net->layers[0].n; i++)
    net->layers[0].dw[i] = net->layers[0].w[i] * x[i];
  REDUCE(0);
  UPDATE(0);
}
