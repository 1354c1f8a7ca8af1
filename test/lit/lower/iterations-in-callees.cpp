// What a function leaves out in some of its iterations, its callers find when
// their objects end, whatever else decides about the call.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

[[spmd::axis("tp")]] extern MPI_Comm comm;

struct State {
  [[spmd::type("tp: R")]] float *x, *embedding;
  [[spmd::type("tp: V")]] float *w;
  float *buffer;
};
void fill(State &s);
static void multiply(float *y, const float *x, const float *w, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * w[i];
}
static void add(float *x, const float *y, int n) {
  for (int i = 0; i < n; i++)
    x[i] += y[i];
}
static void addUnreduced(float *x, const float *y, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: from here on 's.x' is V on 'tp', and nothing makes it R again before its object ends [spmd-contract]
    x[i] += y[i];
}

static void layers(State &s, int n, [[spmd::type("tp: R")]] int count) {
  for (int l = 0; l < count; l++) {
    multiply(s.buffer, s.x, s.w, n);
    MPI_Allreduce(MPI_IN_PLACE, s.buffer, n, MPI_FLOAT, MPI_SUM, comm);
    add(s.x, s.buffer, n);
    if (l == 0)
      s.buffer[0] = 0;
  }
}
static void firstLayer(State &s, int n, [[spmd::type("tp: R")]] int count) {
  for (int l = 0; l < count; l++) {
    multiply(s.buffer, s.x, s.w, n);
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 'l' is not 0
    if (l == 0)
      MPI_Allreduce(MPI_IN_PLACE, s.buffer, n, MPI_FLOAT, MPI_SUM, comm);
    addUnreduced(s.x, s.buffer, n);
  }
}

// And where it updates what its own caller has.
static void descend(float *x, const float *y, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: from here on 's.embedding' is V on 'tp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    x[i] -= y[i];
}
void everyOther(State &s, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    multiply(s.buffer, s.embedding, s.w, n);
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 't % 2' is not 0
    if (t % 2 == 0)
      MPI_Allreduce(MPI_IN_PLACE, s.buffer, n, MPI_FLOAT, MPI_SUM, comm);
    descend(s.embedding, s.buffer, n);
  }
}

static void generate(State &s, [[spmd::type("tp: R")]] int n, int steps) {
  for (int t = 0; t < steps; t++) {
    if (n == 0)
      break;
    layers(s, n, 4);
  }
}
static void generateWrong(State &s, [[spmd::type("tp: R")]] int n, int steps) {
  for (int t = 0; t < steps; t++) {
    if (n == 0)
      break;
    firstLayer(s, n, 4);
  }
}
void right() {
  State s;
  fill(s);
  generate(s, 10, 5);
}
void wrong() {
  State s;
  fill(s);
  generateWrong(s, 10, 5);
}
