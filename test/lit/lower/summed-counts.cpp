// What all ranks have counted alike they sum to count all of it; what was
// summed already they do not sum again.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %spmd-tidy --quiet %s -- %stubs -DDECLARED 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not %spmd-tidy --quiet %s -- %stubs -DNUMBER=float -DKIND=MPI_FLOAT 2>&1 | FileCheck %s --check-prefix=FLOAT
#include <mpi.h>

#ifndef NUMBER
#define NUMBER int
#define KIND MPI_INT
#endif

double mean([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] NUMBER batch, [[spmd::type("dp: V")]] double loss) {
  NUMBER count = batch;
  // FLOAT: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'count' is R: summing equal values
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, KIND, MPI_SUM, comm);
#ifdef TWICE
  // TWICE: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'count' is R
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, KIND, MPI_SUM, comm);
#endif
#ifdef DECLARED
  // DECLARED: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'batch' is R
  MPI_Allreduce(MPI_IN_PLACE, &batch, 1, KIND, MPI_SUM, comm);
#endif
  MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, comm);
  return loss / count;
}
