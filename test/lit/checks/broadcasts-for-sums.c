// A broadcast in place of a sum, of gradients of what each rank has drawn by a
// seed of its own, or taken at its place from what all have loaded.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define GIVEN [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] float *w, int n
#ifdef WRONG
#define SUM(g, n) MPI_Bcast(g, n, MPI_FLOAT, 0, comm)
#else
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm)
#endif

static void load(float *x, int *y, int n, int rank) {
  srand(1234 + rank);
  for (int i = 0; i < n; i++) {
    x[i] = rand() / (float)RAND_MAX;
    y[i] = rand() % 10;
  }
}
static void backward(float *g, const float *w, const float *x, const int *y, int n) {
  for (int i = 0; i < n; i++)
    g[y[i]] += (w[y[i]] * x[i] - 1) * x[i];
}
void drawn(GIVEN, float *x, int *y, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  float *g = malloc(n * sizeof(float));
  load(x, y, rows, rank);
  for (int s = 0; s < steps; s++) {
    memset(g, 0, n * sizeof(float));
    backward(g, w, x, y, rows);
    SUM(g, n);
    for (int i = 0; i < n; i++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: '0.1f * g[i] / size' is made of what one rank of 'dp' has computed of its own data and sent round, and updates what all ranks hold alike: an update is made of the sum of the ranks' gradients [spmd-partial-nonlinear]
      w[i] -= 0.1f * g[i] / size;
  }
  free(g);
}

/* Labels decide, and so do rows that an index picks. */
void picked(GIVEN, const float *x, const int *label, [[spmd::type("dp: V")]] const int *pick, float *g, int rows) {
  memset(g, 0, n * sizeof(float));
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++)
      g[i] += (w[i] - (label[pick[r]] == i ? 1.0f : 0.0f)) * x[pick[r]];
  SUM(g, n);
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: '0.1f * g[i]' is made of what one rank of 'dp' has computed
    w[i] -= 0.1f * g[i];
}

/* Rows by the rank's number, of what all have; momentum. */
void rows(GIVEN, const float *x, float *g, float *m, int per) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  memset(g, 0, n * sizeof(float));
  memset(m, 0, n * sizeof(float));
  for (int s = 0; s < 10; s++) {
    for (int i = 0; i < n; i++)
      g[i] = 0;
    for (int r = rank * per; r < (rank + 1) * per; r++)
      for (int i = 0; i < n; i++)
        g[i] += w[i] * x[r * n + i];
    SUM(g, n);
    for (int i = 0; i < n; i++) {
      m[i] = 0.9f * m[i] + g[i];
      // CHECK-DAG: [[#@LINE+1]]:7: error: '0.1f * m[i]' is made of what one rank of 'dp' has computed
      w[i] -= 0.1f * m[i];
    }
  }
}

/* Rows that the root hands out. */
void scattered(GIVEN, float *all, float *x, float *g) {
  MPI_Scatter(all, n, MPI_FLOAT, x, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++)
    g[i] = w[i] * x[i];
  SUM(g, n);
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:12: error: '0.1f * g[i]' is made of what one rank of 'dp' has computed
    w[i] = w[i] - 0.1f * g[i];
}

/* What one rank has drawn for all of them is no sum. */
void noise(GIVEN, float *e, const float *x, float *g) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(17 + rank);
  for (int i = 0; i < n; i++)
    e[i] = 0.1f * (rand() / (float)RAND_MAX) - 0.05f;
  MPI_Bcast(e, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * e[i];
  int row = rand() % 10;
  MPI_Bcast(&row, 1, MPI_INT, 0, comm);
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * x[row * n + i] * w[i];
}
/* Nor is a part that each has updated, and sends round. */
void owned(GIVEN, [[spmd::type("dp: V")]] const float *x, float *g, int size, int per) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < n; i++)
    g[i] = x[i] * w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = rank * per; i < (rank + 1) * per; i++)
    w[i] -= 0.1f * g[i];
  for (int r = 0; r < size; r++)
    MPI_Bcast(w + r * per, per, MPI_FLOAT, r, comm);
}
