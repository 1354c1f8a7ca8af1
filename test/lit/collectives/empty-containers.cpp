// Whether a container has anything in it follows from how many it was made with,
// and from what was put into it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

void same(MPI_Comm c, int n) {
  std::vector<int> all(n), none;
  if (!all.empty())
    MPI_Barrier(c);
  if (none.empty())
    MPI_Barrier(c);
}
void own([[spmd::axis("dp")]] MPI_Comm c, [[spmd::type("dp: V")]] int n) {
  std::vector<int> wanted(n);
  if (!wanted.empty())
    // CHECK: :[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others
    MPI_Barrier(c);
}
void of_one(MPI_Comm c) {
  int rank;
  MPI_Comm_rank(c, &rank);
  std::vector<int> mine;
  if (rank == 0)
    mine.push_back(1);
  if (!mine.empty())
    // CHECK: :[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'
    MPI_Barrier(c);
}
