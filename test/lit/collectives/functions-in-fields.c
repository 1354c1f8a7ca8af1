// Of what a member holds nobody knows which function it is, but that none of
// those which the file puts there communicates.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

struct loss {
  double (*of)(double);
};
static double square(double x) { return x * x; }
static double absolute(double x) { return x < 0 ? -x : x; }
void choose(struct loss *l, int kind) { l->of = kind ? square : absolute; }

double mean(struct loss *l, double x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double y = l->of(x);
#ifdef WRONG
  // CHECK: :[[#@LINE+2]]:5: error: not all ranks get to this 'MPI_Allreduce'
  if (rank == 0)
    MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
  MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
  return y;
}
