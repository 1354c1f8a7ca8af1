// What one rank alone updates in a loop is found where the function ends, also
// if somebody leaves the loop in the midst of a round.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <cstdlib>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: R")]] float *sum;
};

bool failed();
void load(float *w);
static void update([[spmd::type("dp: R")]] float rate, [[spmd::type("dp: R")]] const float *sum,
                   [[spmd::type("dp: R")]] float *w, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= rate * sum[i];
}
static void gradients(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int l = 0; l < 3; l++) {
    for (int i = 0; i < 10; i++)
      layers[l].g[i] = layers[l].w[i] * rand();
    MPI_Allreduce(layers[l].g, layers[l].sum, 10, MPI_FLOAT, MPI_SUM, comm);
  }
}

void alone(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int x = 0; x < 100; x++) {
    gradients(layers, comm);
    if (failed())
      break;
    for (int l = 0; l < 3; l++)
      // CHECK: [[#@LINE+1]]:11: error: from here on 'layers.w' is V on 'dp', and nothing makes it R again
      if (rank == 0)
        update(0.1f, layers[l].sum, layers[l].w, 10);
  }
}

// All of them, or one that sends it round.
void together(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int x = 0; x < 100; x++) {
    gradients(layers, comm);
    if (failed())
      break;
    for (int l = 0; l < 3; l++)
      update(0.1f, layers[l].sum, layers[l].w, 10);
  }
}
void sentRound(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int x = 0; x < 100; x++) {
    gradients(layers, comm);
    if (failed())
      break;
    for (int l = 0; l < 3; l++) {
      if (rank == 0)
        update(0.1f, layers[l].sum, layers[l].w, 10);
      MPI_Bcast(layers[l].w, 10, MPI_FLOAT, 0, comm);
    }
  }
}
// Who leaves before the broadcast may have failed.
void leftBefore(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int x = 0; x < 100; x++) {
    for (int l = 0; l < 3; l++)
      if (rank == 0)
        load(layers[l].w);
    if (failed())
      break;
    for (int l = 0; l < 3; l++)
      MPI_Bcast(layers[l].w, 10, MPI_FLOAT, 0, comm);
  }
}
// What rank 0 keeps for itself is no weight.
void best(Layer *layers, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] float *kept) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int x = 0; x < 100; x++) {
    together(layers, comm);
    if (failed())
      break;
    if (rank == 0)
      for (int i = 0; i < 10; i++)
        kept[i] = layers[0].w[i];
  }
}
