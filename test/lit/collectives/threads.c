// Collectives and OpenMP, with the flag and, as pragmas are comments, without:
// what threads communicate is in no order; what they compute decides nothing.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -fopenmp 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

int two_threads_make_two_calls(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    // one call of each thread
    #pragma omp parallel num_threads(2)
    {
      #pragma omp critical
      MPI_Barrier(MPI_COMM_WORLD);
    }
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 0;
}

int directive_over_lines(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
#pragma omp parallel for \
    num_threads(2)
    for (int i = 0; i < 1; ++i)
      MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 0;
}

void all_threads_compute(double *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    x[i] = 2 * x[i];
#pragma omp barrier
  if (rank == 0)
    // CHECK: threads.c:[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'
    MPI_Barrier(MPI_COMM_WORLD);
}

void one_thread(double *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp simd
  for (int i = 0; i < n; ++i)
    x[i] = 2 * x[i];
  if (rank == 0)
    // CHECK: threads.c:[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'
    MPI_Barrier(MPI_COMM_WORLD);
}
