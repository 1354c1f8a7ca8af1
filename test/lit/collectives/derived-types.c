// Datatypes that are made of others are so many of one.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#define WORLD MPI_COMM_WORLD

// A column is sent, and comes as so many numbers.
void as_numbers(double *x) {
  int rank;
  MPI_Datatype column;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Type_vector(8, 1, 16, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (rank == 0)
    MPI_Send(x, 1, column, 1, 0, WORLD);
  if (rank == 1)
    MPI_Recv(x, 8, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

void too_short(double *x) {
  int rank;
  MPI_Datatype column;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Type_vector(8, 1, 16, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (rank == 0)
    MPI_Send(x, 1, column, 1, 0, WORLD);
  if (rank == 1)
    // CHECK: [[#@LINE+1]]:5: error: the count of this 'MPI_Recv' does not fit
    MPI_Recv(x, 4, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

void other_elements(double *x) {
  int rank;
  MPI_Datatype pair;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Type_contiguous(2, rank == 0 ? MPI_FLOAT : MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  // CHECK: [[#@LINE+1]]:3: error: the datatype of this 'MPI_Bcast' is not the same on all ranks
  MPI_Bcast(x, 4, pair, 0, WORLD);
  MPI_Type_free(&pair);
}

void one_signature(double *x) {
  int rank;
  MPI_Datatype pair;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_Bcast(x, rank == 0 ? 4 : 8, rank == 0 ? pair : MPI_DOUBLE, 0, WORLD);
  MPI_Type_free(&pair);
}

// A copy of one of MPI's needs no commit.
void copied(double *x) {
  MPI_Datatype type;
  MPI_Type_dup(MPI_DOUBLE, &type);
  MPI_Bcast(x, 4, type, 0, WORLD);
  MPI_Type_free(&type);
}

void negative(void) {
  MPI_Barrier(WORLD);
  MPI_Datatype pair;
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Type_contiguous' gets a negative count
  MPI_Type_contiguous(-2, MPI_DOUBLE, &pair);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Type_vector' gets a null datatype
  MPI_Type_vector(2, 1, 2, MPI_DATATYPE_NULL, &pair);
}
