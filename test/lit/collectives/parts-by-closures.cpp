// Of a main function with more ways than are looked at, what it hands over to
// be called is looked at by itself, too.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <functional>
#include <mpi.h>

void runRanks(const std::function<void(MPI_Comm)> &body);

static void report(double *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double x = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::atoi(argv[i]) == rank)
      MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    x += std::atoi(argv[i]);
  }
  runRanks([&](MPI_Comm comm) { report(&x, comm); });
  MPI_Finalize();
}
