// Layers that hold their numbers themselves, in an array: what is said of a
// member holds for that of each.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <spmd/annotations.h>

enum { Layers = 3, Size = 64 };
struct Layer {
  float w[Size], dw[Size];
};
struct Net {
  SPMD_TYPE("w: dp: R") struct Layer layers[Layers];
};

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x
#define SUM(g) MPI_Allreduce(MPI_IN_PLACE, g, Size, MPI_FLOAT, MPI_SUM, dp)

static void backward(struct Layer *l, const float *x) {
  for (int i = 0; i < Size; i++)
    l->dw[i] = l->w[i] * x[i];
}

void dropped(ARGUMENTS) {
  SPMD_TYPE("w: dp: R") static struct Layer layers[Layers];
  for (int l = 0; l < Layers; l++) {
    backward(&layers[l], x);
    for (int i = 0; i < Size; i++)
      layers[l].w[i] -= 0.1f * layers[l].dw[i];
    // CHECK: [[#@LINE-1]]:7: error: from here on 'layers.w' is V on 'dp'
  }
}
void ofMember(ARGUMENTS, struct Net *net) {
  for (int l = 0; l < Layers; l++) {
    backward(&net->layers[l], x);
    for (int i = 0; i < Size; i++)
      net->layers[l].w[i] -= 0.1f * net->layers[l].dw[i];
    // CHECK: [[#@LINE-1]]:7: error: from here on 'net.layers.w' is V on 'dp'
  }
}

// Twice, for the whole net.
typedef struct {
  float w[Size], b[8];
} Sums;
static void sumBoth(Sums *g, MPI_Comm dp) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g.w' is R or I
  SUM(g->w);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g.b' is R or I
  MPI_Allreduce(MPI_IN_PLACE, g->b, 10, MPI_FLOAT, MPI_SUM, dp);
}
void twice(ARGUMENTS, [[spmd::type("dp: R")]] float *w, Sums *g) {
  for (int i = 0; i < Size; i++)
    g->w[i] = w[i] * x[i];
  for (int i = 0; i < 8; i++)
    g->b[i] = x[i];
  sumBoth(g, dp);
  sumBoth(g, dp);
  for (int i = 0; i < Size; i++)
    w[i] -= 0.1f * (g->w[i] + g->b[i % 8]);
}

//===--- Right ------------------------------------------------------------===//

void summed(ARGUMENTS, struct Net *net) {
  for (int l = Layers - 1; l >= 0; l--) {
    backward(&net->layers[l], x);
    SUM(net->layers[l].dw);
  }
  for (int l = 0; l < Layers; l++)
    for (int i = 0; i < Size; i++)
      net->layers[l].w[i] -= 0.1f * net->layers[l].dw[i];
}
void sentRound([[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  SPMD_TYPE("w: dp: R") static struct Layer layers[Layers];
  if (rank == 0)
    for (int l = 0; l < Layers; l++)
      for (int i = 0; i < Size; i++)
        layers[l].w[i] = 0.01f * i;
  for (int l = 0; l < Layers; l++)
    MPI_Bcast(layers[l].w, Size, MPI_FLOAT, 0, dp);
}
// So that all wait for each other.
void meet([[spmd::axis("dp")]] MPI_Comm dp, Sums *g) {
  MPI_Allreduce(MPI_IN_PLACE, g->b, 1, MPI_FLOAT, MPI_SUM, dp);
}
void met(ARGUMENTS, Sums *g) {
  for (int i = 0; i < Size; i++)
    g->b[i % 8] = x[i];
  MPI_Allreduce(MPI_IN_PLACE, g->b, 8, MPI_FLOAT, MPI_SUM, dp);
  meet(dp, g);
}
