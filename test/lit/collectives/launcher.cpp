// Launchers tell ranks apart by variables of the environment.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <mpi.h>
#include <string>

void ofOne(float *x, int n) {
  int rank = std::atoi(std::getenv("RANK"));
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void ofLast(float *x, int n) {
  const char *number = std::getenv("SLURM_PROCID");
  const char *all = std::getenv("SLURM_NTASKS");
  const int rank = number ? std::stoi(number) : 0;
  const int size = all ? std::stoi(all) : 1;
  if (rank + 1 < size)
    return;
  // CHECK: [[#@LINE+1]]:3: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
  MPI_Barrier(MPI_COMM_WORLD);
}

// A checkpoint is written by one, and all wait for it.
void right(float *x, int n) {
  const int rank = std::atoi(std::getenv("RANK"));
  const int size = std::atoi(std::getenv("WORLD_SIZE"));
  if (rank == 0)
    std::system("sync");
  if (size > 1)
    MPI_Barrier(MPI_COMM_WORLD);
}

// What is set for all alike.
void profiled(float *x, int n) {
  if (std::atoi(std::getenv("PROFILE")))
    MPI_Barrier(MPI_COMM_WORLD);
}
