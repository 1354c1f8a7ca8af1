// A pointer to what each rank has of a buffer is no part of a layout that all of
// them have: what is read there is each rank's own.
// RUN: %spmd-tidy --quiet %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 | count 0
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

struct loader {
  SPMD_TYPE("dp: R") float *data;
  float *batch, *labels;
  int rows;
};
SPMD_TYPE("dp: R") static float *images;
static float *batch, *targets;

static void open_data(struct loader *l, int n, int rank, int ranks) {
  l->rows = n / ranks;
  l->data = (float *)calloc(2 * n, sizeof(float));
  l->batch = l->data + rank * l->rows;
  l->labels = l->data + n + rank * l->rows;
}
static void open_images(int n, int offset) {
  images = (float *)calloc(2 * n, sizeof(float));
  float *at = images;
  at += offset;
  batch = at;
  targets = &images[n + offset];
}

void train(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: R") float *w, float *g, int n) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  struct loader l;
  open_data(&l, n, rank, ranks);
  open_images(n, rank * (n / ranks));
  for (int s = 0; s < 10; ++s) {
    for (int i = 0; i < l.rows; ++i)
      g[i] = l.batch[i] * w[i] - l.labels[i];
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
    for (int i = 0; i < n / ranks; ++i)
      g[i] = batch[i] * w[i] - targets[i];
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
  }
}
