// What a callee adds to each rank's own part, and the caller sums: a bias, or a
// residual, is in the sum once per rank.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <string.h>

[[spmd::axis("tp")]] extern MPI_Comm comm;

typedef struct {
  float *v;
} Activation;
typedef struct {
  [[spmd::type("tp: V")]] float *w;
  [[spmd::type("tp: R")]] float *b;
  int in, out;
} Linear;

static void forward(const Linear *l, const Activation *x, Activation *y) {
  for (int o = 0; o < l->out; o++) {
    float sum = 0;
    for (int i = 0; i < l->in; i++)
      sum += x->v[i] * l->w[i * l->out + o];
    // CHECK: [[#@LINE+2]]:15: error: 'l->b[o]' is R and is added to 'sum', which is each rank's term of a sum over 'tp', in 'add': the sum would count it once per rank [spmd-partial-add]
    // CHECK: note: added up over 'tp' here
    y->v[o] = sum + l->b[o];
  }
}
void biased(const Linear *l, [[spmd::type("tp: V")]] const Activation *x, Activation *y) {
  forward(l, x, y);
  MPI_Allreduce(MPI_IN_PLACE, y->v, l->out, MPI_FLOAT, MPI_SUM, comm);
}

static void multiply(const float *x, const float *w, float *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * w[i];
}
static void add(float *y, const float *r, int n) {
  for (int i = 0; i < n; i++)
    y[i] += r[i];
}
void biasedLater([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: V")]] const float *w,
                 [[spmd::type("tp: R")]] const float *b, float *y, int n) {
  multiply(x, w, y, n);
  MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_FLOAT, MPI_SUM, comm);
  add(y, b, n);
}

static void addTo(float *y, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a[i] + b[i];
}
static void sum(float *y, int n) { MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_FLOAT, MPI_SUM, comm); }
// An average of it has it once.
void averaged([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: R")]] const float *b, float *y, int n) {
  int size;
  MPI_Comm_size(comm, &size);
  addTo(y, x, b, n);
  sum(y, n);
  for (int i = 0; i < n; i++)
    y[i] /= size;
}
// Nobody knows what the number is.
void scaled([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: R")]] const float *b, float *y, int n,
            float inverse) {
  addTo(y, x, b, n);
  sum(y, n);
  for (int i = 0; i < n; i++)
    y[i] *= inverse;
}
// Each rank's samples are other ones, and so are the deviations that it adds.
void ofSamples([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: R")]] const float *mean, float *y,
               float *total, int n) {
  for (int i = 0; i < n; i++) {
    addTo(y, x, mean, n);
    add(total, y, n);
  }
  sum(total, n);
}
// Another use of one buffer has nothing to do with it.
void usedAgain([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: R")]] const float *b,
               [[spmd::type("tp: V")]] const float *w, float *y, int n) {
  addTo(y, x, b, n);
  memcpy(y, w, n * sizeof(float));
  sum(y, n);
}
// One rank adds it for all.
void byOne([[spmd::type("tp: V")]] const float *x, [[spmd::type("tp: V")]] const float *w,
           [[spmd::type("tp: R")]] const float *b, float *y, int n) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  multiply(x, w, y, n);
  if (rank == 0)
    add(y, b, n);
  sum(y, n);
}
