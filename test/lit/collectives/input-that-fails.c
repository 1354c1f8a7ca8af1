// Who cannot read ends the program: no way on which ranks could wait for others.
// What is wrong behind a loop of such tests is found, and all else silent.
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
  fprintf(stderr, "cannot read %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void load(const char *path, double *x, int rows, int columns) {
  FILE *f = fopen(path, "r");
  if (!f)
    fail(path);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++)
      if (fscanf(f, "%lf,", &x[i * columns + j]) != 1)
        fail("an element");
    if (fscanf(f, "%lf", &x[i]) != 1 || x[i] < 0)
      exit(1);
  }
  fclose(f);
}

static void report(double *sum, int rank, int step) {
  double total = 0;
  if (rank == 0 && step % 10 == 0)
    // CHECK: [[#@LINE+1]]:5: error: some ranks are in this 'MPI_Reduce' and others in 'MPI_Allreduce'
    MPI_Reduce(sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows = 4096, columns = 8;
  double *x = malloc(rows * (columns + 1) * sizeof(double)), sum = 0;
  if (rank == 0)
    load("data.csv", x, rows, columns);
  MPI_Bcast(x, rows * columns, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int step = 0; step < 200; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    report(&sum, rank, step);
  }
  MPI_Finalize();
  return 0;
}
