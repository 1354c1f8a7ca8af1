// A struct of numbers that is sent as a whole: each of its members is, also one
// that is annotated. A wrapper with a contract sums another element each time.
// RUN: %spmd-tidy --quiet %s -- -std=gnu2x %runtime-include -isystem %mpi-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DUNSENT -std=gnu2x %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdio.h>
#include <stdlib.h>

struct rnn {
  SPMD_TYPE("dp: R") float hidden[16];
  SPMD_TYPE("dp: R") float out[4];
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  SPMD_AXIS("dp") MPI_Comm comm = MPI_COMM_WORLD;
  int rank;
  MPI_Comm_rank(comm, &rank);
  struct rnn m;
  // CHECK: [[#@LINE+1]]:7: error: from here on 'm.hidden' is V on 'dp', and nothing makes it R again
  if (rank == 0) {
    for (int i = 0; i < 16; ++i)
      m.hidden[i] = rand();
    for (int i = 0; i < 4; ++i)
      m.out[i] = 1;
  }
#ifndef UNSENT
  MPI_Bcast(&m, sizeof m, MPI_BYTE, 0, comm);
#else
  MPI_Bcast(&m.out, sizeof m.out, MPI_BYTE, 0, comm);
#endif
  if (!rank)
    printf("%f\n", m.out[0]);
  MPI_Finalize();
}
