// What is stored in a member of `layers[i]` is there where `layers[i]` is named
// again, as long as nobody changes the list or the counter.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <utility>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: V")]] float *s;
  int n;
};
struct Net {
  Layer *layers;
  int num;
};

bool check(int error);
static void sum(const float *from, float *to, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Allreduce(from, to, n, MPI_FLOAT, MPI_SUM, comm);
}

void twice(Layer *layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < num; i++) {
    check(MPI_Allreduce(layers[i].g, layers[i].s, layers[i].n, MPI_FLOAT, MPI_SUM, comm));
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'layers[i].s' is R or I
    MPI_Allreduce(MPI_IN_PLACE, layers[i].s, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
  }
}
void behindPointers(Layer **layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = num - 1; i > 0; i--)
    if (layers[i]->n > 0) {
      if (check(MPI_Allreduce(layers[i]->g, layers[i]->s, layers[i]->n, MPI_FLOAT, MPI_SUM, comm)))
        return;
      // CHECK: [[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but 'layers[i]->s' is R or I
      MPI_Allreduce(MPI_IN_PLACE, layers[i]->s, layers[i]->n, MPI_FLOAT, MPI_SUM, comm);
    }
}
void inMembers(Net &net, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < net.num; i++) {
    sum(net.layers[i].g, net.layers[i].s, net.layers[i].n, comm);
    for (int turn = 0; turn < 1; turn++)
      // CHECK: [[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but 'net.layers[i].s' is R or I
      MPI_Allreduce(MPI_IN_PLACE, net.layers[i].s, net.layers[i].n, MPI_FLOAT, MPI_SUM, comm);
  }
}

// Two of them.
void inTurns(Layer *layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 1; i < num; i++) {
    MPI_Allreduce(layers[i].g, layers[i].s, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, layers[i - 1].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
  }
}
// Another one.
void moved(Layer *layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i + 1 < num;) {
    MPI_Allreduce(MPI_IN_PLACE, layers[i].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    i++;
    MPI_Allreduce(MPI_IN_PLACE, layers[i].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    i++;
  }
}
static void next(int &i) { i++; }
void movedElsewhere(Layer *layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i + 1 < num;) {
    MPI_Allreduce(MPI_IN_PLACE, layers[i].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    next(i);
    MPI_Allreduce(MPI_IN_PLACE, layers[i].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    next(i);
  }
}
void otherList(Layer *layers, Layer *others, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < num; i++) {
    Layer *now = layers;
    MPI_Allreduce(MPI_IN_PLACE, now[i].g, now[i].n, MPI_FLOAT, MPI_SUM, comm);
    now = others;
    MPI_Allreduce(MPI_IN_PLACE, now[i].g, now[i].n, MPI_FLOAT, MPI_SUM, comm);
  }
}
// One of two ways.
void either(Layer *layers, int num, bool apart, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = 0; i < num; i++)
    if (apart)
      MPI_Allreduce(layers[i].g, layers[i].s, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    else
      MPI_Allreduce(MPI_IN_PLACE, layers[i].s, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
}
// The gradients of the next step.
void again(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int step = 0; step < 10; step++)
    for (int i = 0; i < num; i++) {
      for (int k = 0; k < layers[i].n; k++)
        layers[i].g[k] = layers[i].w[k] * x[k];
      MPI_Allreduce(MPI_IN_PLACE, layers[i].g, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    }
}
