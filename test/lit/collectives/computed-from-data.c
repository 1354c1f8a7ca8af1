// What a loop of unknown length computes from each rank's own data, or decides
// by it, and whole numbers that are made of such data, are each rank's own.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir %runtime-include -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

static void reduce(float *w, int n) { MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, comm); }

void whole([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  int token = p[0];
  if (token == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, comm);
}
void sum([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  float all = 0, last = 0;
  for (int i = 0; i < n; i++) {
    last = p[i];
    all += last;
  }
  if (all > 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, comm);
}
void first([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  int done = 0;
  while (!done) {
    int at = -1;
    for (int i = 0; i < n; i++)
      if (p[i] > 0.5f) {
        at = i;
        break;
      }
    done = at == 0;
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(p, w, n, MPI_FLOAT, MPI_SUM, comm);
  }
}

// What all ranks have, they decide by alike.
void summed([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  float all = 0;
  for (int i = 0; i < n; i++)
    all += p[i];
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_FLOAT, MPI_SUM, comm);
  if (all > 0)
    reduce(w, n);
}
void sent([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  int at = -1;
  for (int i = 0; i < n; i++)
    if (p[i] > 0.5f)
      at = i;
  MPI_Bcast(&at, 1, MPI_INT, 0, comm);
  if (at == 0)
    reduce(w, n);
}
void alike([[spmd::type("dp: R")]] const float *p, [[spmd::type("dp: V")]] const float *q, float *w, int n) {
  float all = 0, own = 0;
  for (int i = 0; i < n; i++) {
    all += p[i];
    own += q[i];
  }
  if (all > 0)
    reduce(w, n);
  w[0] = own;
}
// What is left out of a round, or ends a loop inside it, changes nothing of
// how many rounds there are.
void skipped([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  float all = 0;
  int i = 0, rounds = 0;
  for (i = 0; i < n; i++) {
    rounds++;
    if (p[i] > 0)
      continue;
    all += p[i];
  }
  if (i > 3 && rounds > 3)
    reduce(w, n);
  w[0] = all;
}
void searched([[spmd::type("dp: V")]] const float *p, float *w, int n) {
  int last = 0, ready = 0;
  for (int e = 0; e < n; e++) {
    for (int i = 0; i < n; i++) {
      ready = 1;
      if (p[i] > 2)
        break;
    }
    last = e;
  }
  if (last > 0 && ready)
    reduce(w, n);
}
