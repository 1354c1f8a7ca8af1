// One-sided accesses: epochs, buffers, arguments.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>

#define N 16

static MPI_Win lend(double *x) {
  MPI_Win win;
  MPI_Win_create(x, N * sizeof(double), sizeof(double), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &win);
  return win;
}

void fenced(double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win win = lend(x);
  MPI_Win_fence(0, win);
  MPI_Put(y, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  y[0] = x[0];
  MPI_Win_free(&win);
}

void locked(double *x, double *y) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win = lend(x);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
    y[0] += 1;
  }
  MPI_Win_free(&win);
}

void flushed(double *x, double *y, MPI_Win win) {
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < N; i++) {
    MPI_Get(y, 1, MPI_DOUBLE, i, 0, 1, MPI_DOUBLE, win);
    MPI_Win_flush(i, win);
    x[i] = y[0];
  }
  MPI_Win_unlock_all(win);
}

void posted(double *x, double *y, MPI_Group others) {
  MPI_Win win = lend(x);
  MPI_Win_post(others, 0, win);
  MPI_Win_start(others, 0, win);
  MPI_Put(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  y[0] = 0;
  MPI_Win_free(&win);
}

// Callers may have begun an epoch.
void of_callers(double *y, MPI_Win win) {
  MPI_Put(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

void by_request(double *x, double *y, MPI_Win win) {
  MPI_Request r;
  MPI_Rget(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  x[0] = y[0];
}

void no_epoch(double *x, double *y) {
  MPI_Win win = lend(x);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Put' is in no epoch of its window: no fence and no lock comes before it [spmd-async-hazard]
  MPI_Put(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

void read_early(double *x, double *y) {
  MPI_Win win = lend(x);
  MPI_Win_fence(0, win);
  MPI_Get(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'y' is read by the host while the 'MPI_Get' of line [[#@LINE-1]] may still write it: no fence, unlock or flush is between [spmd-async-hazard]
  x[1] = y[0];
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

void overwritten(double *x, double *y) {
  MPI_Win win = lend(x);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Put(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'y' is written by the host while the 'MPI_Put'
  y[0] = 2;
  MPI_Win_unlock(1, win);
  MPI_Win_free(&win);
}

void other_rank_flushed(double *x, double *y) {
  MPI_Win win = lend(x);
  MPI_Win_lock_all(0, win);
  MPI_Get(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_flush(2, win);
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'y' is read by the host while the 'MPI_Get'
  x[1] = y[0];
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

void no_last_fence(double *x, double *y) {
  MPI_Win win = lend(x);
  MPI_Win_fence(0, win);
  // CHECK: [[#@LINE+1]]:3: error: nothing ends what this 'MPI_Put' begins before 'MPI_Win_free': neither a fence nor an unlock [spmd-async-hazard]
  MPI_Put(y, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_free(&win);
}

void no_lock(double *x) {
  MPI_Win win = lend(x);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Win_unlock' is in no epoch
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

// Read again and again.
void reused(double *x, double *y, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; i++)
    MPI_Get(y, 1, MPI_DOUBLE, i, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

void fence_of_one(double *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win = lend(x);
  MPI_Win_fence(0, win);
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'MPI_Win_fence'{{.*}}[spmd-divergent-collective]
    MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

void arguments(double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win win = lend(x);
  MPI_Win_fence(0, win);
  // CHECK: [[#@LINE+1]]:3: error: no rank has the number that this 'MPI_Get' is told
  MPI_Get(y, 1, MPI_DOUBLE, size, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Put' gets a null datatype
  MPI_Put(y, 1, MPI_DOUBLE, 0, 0, 1, MPI_DATATYPE_NULL, win);
  MPI_Win_fence(0, win);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Put' has one count for its own buffer and another for the window
  MPI_Put(y, 2, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Win_fence' gets a null window
  MPI_Win_fence(0, win);
}
