// What is declared to be overwritten, and is only read.
// RUN: not %spmd-tidy --quiet %s -- -DM=1 -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DM=0 -isystem %stubs-dir 2>&1 | count 0
// CHECK: error: nothing is written to 'buffer'
#include <mpi.h>
struct layer { int n; [[spmd::type("dp: S(0)")]] float *weight; };
static void forward(struct layer *l, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y,
                    [[spmd::type("-> dp: R")]] float *buffer, [[spmd::axis("dp")]] MPI_Comm comm, int size) {
#if M == 0
  MPI_Allgather(l->weight, l->n, MPI_FLOAT, buffer, l->n, MPI_FLOAT, comm);
#elif M == 2
  MPI_Bcast(buffer, l->n, MPI_FLOAT, 0, comm);
#endif
  for (int i = 0; i < l->n * size; i++)
    y[i] = x[i] * buffer[i];
#if M == 3
  MPI_Allgather(l->weight, l->n, MPI_FLOAT, buffer, l->n, MPI_FLOAT, comm);
#endif
}
void both(struct layer *a, struct layer *b, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y,
          [[spmd::type("dp: V")]] float *z, float *buffer, [[spmd::axis("dp")]] MPI_Comm comm, int size) {
  forward(a, x, y, buffer, comm, size);
  forward(b, y, z, buffer, comm, size);
}
