// What is read from a file into a part of a buffer is what that is declared to
// hold, as what is read into all of it.
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define GIVEN [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] float *w, FILE *f, int n
void rows(GIVEN) {
  [[spmd::type("dp: V")]] float *x = malloc(n * sizeof(float));
  for (int i = 0; i < n; i += 4)
    fread(x + i, sizeof(float), 4, f);
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp', but 'w[i] -= x[i]' is V
    w[i] -= x[i];
}
void numbers(GIVEN) {
  [[spmd::type("dp: V")]] float x[100];
  for (int i = 0; i < n; i++)
    fscanf(f, "%f", &x[i]);
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp', but 'w[i] -= x[i]' is V
    w[i] -= x[i];
}
// Of what is not declared nobody knows.
void unknown(GIVEN) {
  float *x = malloc(n * sizeof(float));
  fread(x + 4, sizeof(float), n - 4, f);
  for (int i = 0; i < n; i++)
    w[i] -= x[i];
}
void weights(GIVEN) {
  fread(w + 4, sizeof(float), n - 4, f);
}
