// The smaller of two numbers, and what a condition chooses, are computed.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <algorithm>
#include <mpi.h>

void rounds(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < std::min(size - rank, 2); ++i)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
    MPI_Barrier(comm);
}

void chosen(MPI_Comm comm) {
  int rank, size, n = 3, m = 2;
  MPI_Comm_rank(comm, &rank);
  const int count = rank == 0 ? n : m;
  double x[3] = {};
  // CHECK: [[#@LINE+1]]:3: error: the count of this 'MPI_Bcast' is not the same on all ranks{{.*}} [spmd-varying-metadata]
  MPI_Bcast(x, count, MPI_DOUBLE, 0, comm);
}

struct Side {
  MPI_Comm comm;
  int n;
};

void place(Side a, Side b) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Side &mine = rank % 2 ? a : b;
  mine.n = rank % 2;
  if (a.n == 1 && rank % 2)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

// Right.
void equal(MPI_Comm comm) {
  int rank, size, n = 3;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int &most = std::max(n, 2);
  double x[3] = {};
  MPI_Bcast(x, rank == 0 ? most : n, MPI_DOUBLE, 0, comm);
  for (int i = 0; i < std::min(rank, 0) + most; ++i)
    MPI_Barrier(comm);
}
