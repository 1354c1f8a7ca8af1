// What is summed may be another number on each rank. What it was copied from
// may well be the same: the size of a batch, of which the last one has less.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

//===--- A copy is summed ---------------------------------------------------//

void batches(int n, int k) {
  for (int b = 0; b < n; b += k) {
    int actual = k, total;
    if (b + k > n)
      actual = n - b;
    MPI_Allreduce(&actual, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

void quotient(int n, int k) {
  const int rounds = n / k;
  for (int i = 0; i < rounds; i++) {
    int actual = k, total;
    MPI_Allreduce(&actual, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

int batchSize(void);

void sizeOfCall(int n) {
  const int k = batchSize();
  for (int b = 0; b < n; b += k) {
    int actual = k, total;
    MPI_Allreduce(&actual, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static int sumOf(int mine) {
  int total;
  MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

void inHelper(int n, int k) {
  for (int b = 0; b < n; b += k) {
    int actual = k;
    if (b + k > n)
      actual = n - b;
    sumOf(actual);
  }
}

//===--- The copy itself decides, or there is none --------------------------//

void roundsOfCopy(int k) {
  int actual = k, total;
  MPI_Allreduce(&actual, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < actual; i++)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

void roundsOfOwn(int own) {
  int total;
  MPI_Allreduce(&own, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < own; i++)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

void roundsOfCall(void) {
  int own = batchSize(), total;
  MPI_Allreduce(&own, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < own; i++)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

void roundsOfGiven(int own) {
  sumOf(own);
  for (int i = 0; i < own; i++)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

double lossOf(const float *batch);

void realNumber(const float *batch) {
  const double loss = lossOf(batch);
  double mine = loss, total;
  MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (loss > 1)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}
