// A loop that counts in larger steps has first rounds and last ones, too.
// RUN: %spmd-tidy --quiet %s -- -DEND= -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- '-DEND=if (rank == 0 && i > 5000) break;' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

static double w[10];

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10000; i += 10) {
    END
    MPI_Allreduce(MPI_IN_PLACE, w, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  // CHECK: :[[#@LINE+1]]:3: error: some ranks are in this 'MPI_Finalize' and others in 'MPI_Allreduce', which do not match
  MPI_Finalize();
}
