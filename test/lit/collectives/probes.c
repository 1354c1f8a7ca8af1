// A probe waits for a message and leaves it where it is.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#define WORLD MPI_COMM_WORLD

void asked_first(float *x, int n) {
  int rank;
  MPI_Status status;
  MPI_Comm_rank(WORLD, &rank);
  if (rank == 0)
    MPI_Send(x, n, MPI_FLOAT, 1, 4, WORLD);
  if (rank == 1) {
    MPI_Probe(0, 4, WORLD, &status);
    MPI_Recv(x, n, MPI_FLOAT, 0, 4, WORLD, MPI_STATUS_IGNORE);
  }
}

void from_anybody(float *x, int n) {
  int rank, size;
  MPI_Status status;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  if (rank > 0)
    MPI_Send(x, n, MPI_FLOAT, 0, rank, WORLD);
  for (int i = 1; rank == 0 && i < size; i++) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    MPI_Recv(x, n, MPI_FLOAT, status.MPI_SOURCE, status.MPI_TAG, WORLD,
             MPI_STATUS_IGNORE);
  }
}

void both_ask_first(float *x, int n) {
  int rank;
  MPI_Status status;
  MPI_Comm_rank(WORLD, &rank);
  if (rank > 1)
    return;
  int other = 1 - rank;
  // CHECK: [[#@LINE+1]]:3: error: ranks wait for each other's messages in a cycle, and none goes on: {{.*}}MPI_Probe
  MPI_Probe(other, 0, WORLD, &status);
  MPI_Send(x, n, MPI_FLOAT, other, 0, WORLD);
  MPI_Recv(x, n, MPI_FLOAT, other, 0, WORLD, MPI_STATUS_IGNORE);
}

// Names of MPI's that the program gives names of its own are no numbers.
enum { Anybody = MPI_ANY_SOURCE };
static const int any_tag = MPI_ANY_TAG;

void named(float *x, int n) {
  int rank, size;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  if (rank > 0)
    MPI_Send(x, n, MPI_FLOAT, 0, 0, WORLD);
  for (int i = 1; rank == 0 && i < size; i++)
    MPI_Recv(x, n, MPI_FLOAT, Anybody, any_tag, WORLD, MPI_STATUS_IGNORE);
}

void no_rank(float *x, int n) {
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Recv' gets a negative rank
  MPI_Recv(x, n, MPI_FLOAT, -3, 0, WORLD, MPI_STATUS_IGNORE);
}

void no_request(float *x, int n) {
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Irecv' gets a null pointer to what it is to make
  MPI_Irecv(x, n, MPI_FLOAT, 0, 0, WORLD, NULL);
}
