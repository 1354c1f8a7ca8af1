// Sends and receives: their tags, types and communicators, who is at the other
// end, and ranks that wait for each other.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void unsafe_ring(double *x, double *y, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Ssend(x, n, MPI_DOUBLE, (rank + 1) % size, 0, comm);
  // CHECK: [[#@LINE-1]]:3: error: ranks wait for each other's messages in a cycle, and none goes on: with 2 ranks: rank 0 waits for rank 1 in MPI_Ssend, line [[#@LINE-1]]; rank 1 waits for rank 0 in MPI_Ssend, line [[#@LINE-1]] [spmd-collective-order]
  MPI_Recv(y, n, MPI_DOUBLE, (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}

void other_tag(double *x, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(x, n, MPI_DOUBLE, 1, 7, comm);
  // CHECK: [[#@LINE-1]]:5: error: the tag of this 'MPI_Send' does not fit that of the 'MPI_Recv' on the other rank: with 2 ranks: rank 0 waits in MPI_Send, line [[#@LINE-1]]; rank 1 waits in MPI_Recv, line [[#@LINE+2]] [spmd-varying-metadata]
  else if (rank == 1)
    MPI_Recv(x, n, MPI_DOUBLE, 0, 8, comm, MPI_STATUS_IGNORE);
}

void other_type(void *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(x, 4, MPI_DOUBLE, 1, 0, comm);
  else if (rank == 1)
    MPI_Recv(x, 4, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE);
  // CHECK: [[#@LINE-1]]:5: error: the datatype of this 'MPI_Recv' does not fit that of the 'MPI_Send' on the other rank: {{.*}} [spmd-varying-metadata]
}

void too_short(int *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(x, 8, MPI_INT, 1, 0, comm);
  else if (rank == 1)
    MPI_Recv(x, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  // CHECK: [[#@LINE-1]]:5: error: the count of this 'MPI_Recv' does not fit that of the 'MPI_Send' on the other rank: {{.*}} [spmd-varying-metadata]
}

void other_communicator(int *x, MPI_Comm comm) {
  int rank;
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(x, 1, MPI_INT, 1, 0, comm);
  // CHECK: [[#@LINE-1]]:5: error: the communicator of this 'MPI_Send' does not fit that of the 'MPI_Recv' on the other rank: {{.*}} [spmd-varying-metadata]
  else if (rank == 1)
    MPI_Recv(x, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
}

//===--- Right ------------------------------------------------------------===//

void ring(double *x, double *y, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Irecv(y, n, MPI_DOUBLE, (rank + size - 1) % size, 0, comm, &request);
  MPI_Send(x, n, MPI_DOUBLE, (rank + 1) % size, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
void halo(double *u, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(u + n, 1, MPI_DOUBLE, up, 0, u, 1, MPI_DOUBLE, down, 0, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, down, 1, u + n + 1, 1, MPI_DOUBLE, up, 1, comm, MPI_STATUS_IGNORE);
}
void copied(double *x, double *y, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Bsend(x, n, MPI_DOUBLE, (rank + 1) % size, 0, comm);
  MPI_Recv(y, n, MPI_DOUBLE, (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}
void larger(int *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(x, 4, MPI_INT, 1, 0, comm);
  else if (rank == 1)
    MPI_Recv(x, 100, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}
// Who is at the other end is in another file.
void send_forward(double *x, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Send(x, n, MPI_DOUBLE, (rank + 1) % size, 0, comm);
}
void worker(double *x, MPI_Comm comm) {
  MPI_Recv(x, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Send(x, 1, MPI_DOUBLE, 0, 0, comm);
}
