// What no rank may hand over: buffers that are null or too small, peers that
// there are not, handles that were freed. Right ones are silent.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

#include <mpi.h>
#include <stdlib.h>

void wrong(void) {
  int one = 1, four[4], *nothing = NULL;
  double real = 0;
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allreduce' goes over 20 bytes of 'one', which has 4: on behind its end [spmd-collective-argument]
  MPI_Allreduce(&one, four, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' goes over 16 bytes of 'four[1]', which has 12: on behind its end [spmd-collective-argument]
  MPI_Bcast(&four[1], 4, MPI_INT, 0, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allreduce' goes over 16 bytes of 'real', which has 8: on behind its end [spmd-collective-argument]
  MPI_Allreduce(MPI_IN_PLACE, &real, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // A piece for each rank, and there are at least two.
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allgather' goes over 8 bytes (two ranks' pieces) of 'one', which has 4: on behind its end [spmd-collective-argument]
  MPI_Allgather(four, 1, MPI_INT, &one, 1, MPI_INT, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Gather' gets a null buffer, with which nothing can be done: {{.*}} [spmd-collective-argument]
  MPI_Gather(nothing, 1, MPI_INT, four, 1, MPI_INT, 0, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Reduce' gets a null buffer, {{.*}} [spmd-collective-argument]
  MPI_Reduce(&one, nothing, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

void handles(int key) {
  int x = 0;
  MPI_Datatype pair, none = NULL;
  MPI_Op unset = NULL;
  MPI_Comm half;
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' gets a null datatype, {{.*}} [spmd-collective-argument]
  MPI_Bcast(&x, 1, none, 0, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allreduce' gets a null reduction, {{.*}} [spmd-collective-argument]
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, unset, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allreduce' gets a reduction that only one-sided calls take, {{.*}} [spmd-collective-argument]
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_free(&pair);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' gets a null datatype, {{.*}} [spmd-collective-argument]
  MPI_Bcast(&x, 1, pair, 0, MPI_COMM_WORLD);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Comm_split' gets a negative colour, {{.*}} [spmd-collective-argument]
  MPI_Comm_split(MPI_COMM_WORLD, -10, key, &half);
}

void peers(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int x = 0;
  if (rank == 1)
    // CHECK: [[#@LINE+1]]:5: error: no rank has the number that this 'MPI_Recv' is told, however many there are [spmd-collective-argument]
    MPI_Recv(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank == 0)
    MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

void right(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int one = 1, four[4], *nothing = NULL, *all = NULL;
  MPI_Comm half;
  MPI_Datatype pair;
  MPI_Allreduce(MPI_IN_PLACE, four, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(&four[1], 3, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(nothing, 0, MPI_INT, 0, MPI_COMM_WORLD);
  // Only the root's is looked at.
  if (rank == 0)
    all = (int *)malloc(size * sizeof(int));
  MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_INT, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(&one, rank == 0 ? four : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  // As many as were foreseen.
  MPI_Allgather(&one, 1, MPI_INT, four, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : 0, rank, &half);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Bcast(four, 2, pair, 0, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
  // Made for eight ranks.
  if (rank == 0)
    MPI_Send(&one, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
  else if (rank == 7)
    MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// What is copied waits for nobody, however it is completed.
void copied(double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request request;
  const int other = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Ibsend(x, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(y, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bsend_init(x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(y, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

void connect(MPI_Comm *to); // may be one between two groups

void between(double *x) {
  MPI_Comm other;
  int me;
  connect(&other);
  MPI_Comm_rank(other, &me);
  if (me == 0)
    MPI_Send(x, 1, MPI_DOUBLE, 0, 0, other);
}
