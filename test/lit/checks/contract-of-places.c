// A number that tells where a rank's part is, given as one for all of them.
// RUN: not %spmd-tidy --quiet %s -- -DRANK=0 -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DRANK=rank -isystem %stubs-dir 2>&1 | count 0
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct layer {
  int n;
  [[spmd::type("tp: S(0)")]] float *weight;
};
static void take_part(struct layer *l, [[spmd::type("tp: V")]] int rank, int size) {
  int n = l->n / size;
  float *part = (float *)malloc(sizeof(float) * n);
  memcpy(part, l->weight + rank * n, sizeof(float) * n);
  free(l->weight);
  l->weight = part;
  l->n = n;
}
static void print_part(struct layer *l, [[spmd::type("tp: V")]] int rank) {
  if (rank == 0)
    l->n++;
}
void make(struct layer *l, float *packed, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  l->weight = (float *)malloc(sizeof(float) * l->n);
  for (int i = 0; i < l->n; i++)
    l->weight[i] = rand();
  // CHECK: :[[#@LINE+1]]:3: error: the argument for 'rank' must be V on 'tp', but 'RANK' is R or I: all ranks hold the same, which is taken for each one's own
  take_part(l, RANK, size);
  // It decides nothing about places.
  print_part(l, 0);
}
void root_alone(struct layer *l, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == 0)
    take_part(l, 0, size);
}
void for_each(struct layer *l, [[spmd::axis("tp")]] MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int r = 0; r < size; r++)
    take_part(l + r, r, size);
}
