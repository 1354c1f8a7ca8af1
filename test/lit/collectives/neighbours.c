// A function that others call may be called only on ranks that have such a
// neighbour; the program itself runs on all.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

//===--- Callers choose the ranks -------------------------------------------//

void recvFromPrevious(float *x, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Recv(x, n, MPI_FLOAT, rank - 1, 0, comm, MPI_STATUS_IGNORE);
}

void sendToPrevious(float *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Send(x, n, MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD);
}

void sendToNext(float *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Send(x, n, MPI_FLOAT, rank + 1, 0, MPI_COMM_WORLD);
}

void sendFourBack(float *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Send(x, n, MPI_FLOAT, rank - 4, 0, MPI_COMM_WORLD);
}

//===--- On no rank is there such a one -------------------------------------//

void recvFromNobody(float *x, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Recv' gets a negative rank, with which nothing can be done: {{.*}} [spmd-collective-argument]
  MPI_Recv(x, n, MPI_FLOAT, -5 - rank, 0, comm, MPI_STATUS_IGNORE);
}

void firstRecvs(float *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: this 'MPI_Recv' gets a negative rank, with which nothing can be done: {{.*}} [spmd-collective-argument]
    MPI_Recv(x, n, MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

//===--- All ranks come there -----------------------------------------------//

static void shift(float *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Send' gets a negative rank, with which nothing can be done: {{.*}} [spmd-collective-argument]
  MPI_Send(x, n, MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD);
  if (rank + 1 < size)
    MPI_Recv(x, n, MPI_FLOAT, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  float x[4] = {0};
  MPI_Init(&argc, &argv);
  shift(x, 4);
  MPI_Finalize();
  return 0;
}
