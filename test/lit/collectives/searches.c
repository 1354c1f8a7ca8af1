// A search through data is one way, however many elements there are.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

static int has_nan(const float *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != x[i])
      return 1;
  return 0;
}

static int first_above(const float *x, int n, float limit) {
  int i = 0;
  while (x[i] <= limit) {
    if (++i == n)
      return -1;
  }
  return i;
}

void right(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 100; step++) {
    int bad = has_nan(x, 1 << 20) || first_above(x, 1 << 20, 1e6f) >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad)
      continue;
    if (step % 10 == 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

void wrong(float *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 100; step++) {
    int bad = has_nan(x, 1 << 20);
    // CHECK: [[#@LINE+1]]:5: error: some ranks are in this 'MPI_Allreduce' and others in 'MPI_Barrier'
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad)
      continue;
    if (step % 10 == 0 && rank < size - 1)
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

// What it says of the rank is known all the same.
static int saves(int step, int every, int rank) {
  if (!every)
    return 0;
  return step % every == 0 && rank == 0;
}

void by_helper(int every, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++)
    if (saves(step, every, rank))
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Barrier'
      MPI_Barrier(MPI_COMM_WORLD);
}
