// A main function that returns an error ends the program, as exit() does: what
// it leaves then, nobody asks. So it is neither of an end without an error, nor
// of the function of somebody who goes on.
// RUN: %spmd-tidy --quiet --config='Axes: {MPI_COMM_WORLD: dp}' %s -- %runtime-include -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet --config='Axes: {MPI_COMM_WORLD: dp}' %s -- -DSTATUS=error %runtime-include -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet --config='Axes: {MPI_COMM_WORLD: dp}' %s -- '-DIS_ERROR=error != MPI_SUCCESS' -DSTATUS=error %runtime-include -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --config='Axes: {MPI_COMM_WORLD: dp}' %s -- '-DIS_ERROR=error >= 0' -DSTATUS=error %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --config='Axes: {MPI_COMM_WORLD: dp}' %s -- -DSTATUS=0 %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --config='Axes: {MPI_COMM_WORLD: dp}' %s -- -DIN_MAIN=work %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --config='Axes: {MPI_COMM_WORLD: dp}' %s -- -DRATE=rank %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN --implicit-check-not=error:
#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

#ifndef IN_MAIN
#define IN_MAIN main
#endif
#ifndef STATUS
#define STATUS EXIT_FAILURE
#endif
#ifndef IS_ERROR
#define IS_ERROR error
#endif
#ifndef RATE
#define RATE 0.1f
#endif

typedef struct {
  int size;
  float *data;
} Tensor;

Tensor *alloc(int n) {
  Tensor *t = (Tensor *)malloc(sizeof(Tensor));
  t->size = n;
  t->data = (float *)malloc(n * sizeof(float));
  return t;
}

int slice(const Tensor *from, Tensor *to, int start) {
  if (start + to->size > from->size)
    return 1;
  for (int i = 0; i < to->size; i++)
    to->data[i] = from->data[start + i];
  return 0;
}

int IN_MAIN(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  SPMD_TYPE("dp: V") Tensor *x = alloc(1024);
  SPMD_TYPE("dp: V") Tensor *batch = alloc(8);
  SPMD_TYPE("dp: R") Tensor *w = alloc(8);
  for (int t = 0; t < 10; t++) {
    int error = slice(x, batch, t * 32 + rank * 8);
    // CHECK: [[#@LINE+1]]:9: error: from here on 'w.data' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    if (IS_ERROR)
      return STATUS;
    MPI_Allreduce(MPI_IN_PLACE, batch->data, 8, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i++)
      // OWN: [[#@LINE+1]]:7: error: the value stored in 'w.data' must be R on 'dp', but 'w->data[i] -= RATE * batch->data[i]' is V: {{.*}} [spmd-contract]
      w->data[i] -= RATE * batch->data[i];
  }
  MPI_Finalize();
  return 0;
}
