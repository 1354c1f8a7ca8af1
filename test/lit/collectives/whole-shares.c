// Ranks that take turns over as many elements as they can share evenly meet as
// often; over all of them they do not.
// RUN: %spmd-tidy --quiet %s -- '-DLAST=n - n % ranks' -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- '-DLAST=n / ranks * ranks' -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DLAST=n -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- '-DLAST=n - n % 3' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- '-DLAST=n + 1 - n % ranks' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

void epoch(MPI_Comm comm, const float *x, int n) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int last = LAST;
  for (int i = rank; i < last; i += ranks) {
    float g = x[i];
    // CHECK: :[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, &g, 1, MPI_FLOAT, MPI_SUM, comm);
  }
}
