// What is wrong on some numbers of ranks only.
// RUN: not %spmd-tidy %s -- %stubs | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

// With two ranks, nobody is missing; with more, rank 2 is for sure, where flag
// is set, although where it is not it waits for a message first.
void skips(float *x, int flag, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != 2) {
    // CHECK: :[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'
    MPI_Barrier(comm);
  } else if (flag != 1) {
    MPI_Send(x, 1, MPI_FLOAT, (rank + 1) % size, 0, comm);
  }
}

// The counts of the ranks after the first differ, whatever n is.
void counts(float *all, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, all, n, MPI_FLOAT, MPI_SUM, 0, comm);
  else
    // CHECK: :[[#@LINE+1]]:5: error: the count of this 'MPI_Reduce' is not the same on all ranks
    MPI_Reduce(all, 0, rank + 1, MPI_FLOAT, MPI_SUM, 0, comm);
}

// The last rank is an even one, and receives here, if there are three.
void last(float *in, float *out) {
  int rank, size;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank % 2 == 0) {
    MPI_Iallreduce(in, out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    // CHECK: :[[#@LINE+1]]:5: error: 'out' is written by 'MPI_Gather' while the 'MPI_Iallreduce' of line 37
    MPI_Gather(in, 1, MPI_FLOAT, out, 1, MPI_FLOAT, size - 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Iallreduce(in, out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Gather(in, 1, MPI_FLOAT, in + 1, 1, MPI_FLOAT, size - 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
