// Who has nothing to send where others have some number of elements.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stdlib.h>

#include <string.h>
extern char *name;

void send(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  char *text = rank == 0 ? getenv("TEXT") : malloc(100);
  int n = rank == 0 ? (int)strlen(text) : 0;
  // CHECK: :[[#@LINE+1]]:3: error: the count of this 'MPI_Bcast' is not the same on all ranks, which must agree on it
  MPI_Bcast(text, n, MPI_CHAR, 0, comm);
}

void sendLength(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  char *text = rank == 0 ? getenv("TEXT") : malloc(100);
  int n = rank == 0 ? (int)strlen(text) : 0;
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  MPI_Bcast(text, n, MPI_CHAR, 0, comm);
}

/// What other ranks say that they send counts nowhere but at the root.
void scatter(const float *all, float *part, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  int n = rank == 0 ? (int)strlen(name) : 0;
  MPI_Scatter(all, n, MPI_FLOAT, part, 4, MPI_FLOAT, 0, comm);
}

/// Those who have something are known to have nothing here.
void nothing(float *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  int n = rank == 0 ? (int)strlen(name) : 0;
  if (n == 0)
    MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
  else
    MPI_Abort(comm, 1);
}

/// Each rank's own number of elements.
void lists(float *mine, float *all, int *counts, int *places, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  int n = rank == 0 ? (int)strlen(name) : 0;
  MPI_Gatherv(mine, n, MPI_FLOAT, all, counts, places, MPI_FLOAT, 0, comm);
}
