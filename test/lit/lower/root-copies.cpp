// A rank that sends a copy of its number, and keeps its own, has what the
// others take of the copy; and a collective that each branch has is one.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <spmd/annotations.h>

extern "C" int scanf(const char *, ...);
int ranks();
static void step([[spmd::type("dp: R")]] double *w, int n, int rank, [[spmd::axis("dp")]] MPI_Comm c) {
  double g[4], s[4];
  for (int i = 0; i < n; ++i)
    g[i] = w[i] * rank;
  MPI_Allreduce(g, s, 4, MPI_DOUBLE, MPI_SUM, c);
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1 * s[i] / 8;
}

void unpacked([[spmd::type("dp: R")]] double *w, [[spmd::axis("dp")]] MPI_Comm c) {
  int rank, steps, h[2];
  MPI_Comm_rank(c, &rank);
  if (rank == 0) {
    scanf("%d", &steps);
    h[1] = steps;
  }
  MPI_Bcast(h, 2, MPI_INT, 0, c);
  if (rank != 0)
    steps = h[1];
  for (int e = 0; e < steps; ++e)
    step(w, 4, rank, c);
}
void inEachBranch([[spmd::type("dp: R")]] double *w, [[spmd::axis("dp")]] MPI_Comm c) {
  int rank, steps, h[2] = {3, 1};
  MPI_Comm_rank(c, &rank);
  if (rank == 0) {
    scanf("%d", &steps);
    h[0] = steps;
    MPI_Bcast(h, 2, MPI_INT, 0, c);
  } else {
    MPI_Bcast(h, 2, MPI_INT, 0, c);
    steps = h[0];
  }
  for (int e = 0; e < steps * h[1]; ++e)
    step(w, 4, rank, c);
}
struct Config {
  int width, steps;
};
void ofStruct([[spmd::type("dp: R")]] double *w, [[spmd::axis("dp")]] MPI_Comm c) {
  int rank;
  MPI_Comm_rank(c, &rank);
  Config own, sent;
  if (!rank) {
    scanf("%d %d", &own.width, &own.steps);
    sent = own;
  }
  MPI_Bcast(&sent, sizeof sent, MPI_BYTE, 0, c);
  if (rank)
    own = sent;
  for (int e = 0; e < own.steps; ++e)
    step(w, own.width, rank, c);
}


void notSent([[spmd::type("dp: R")]] double *w, [[spmd::axis("dp")]] MPI_Comm c) {
  int rank, steps, h[2] = {1, 1};
  MPI_Comm_rank(c, &rank);
  if (rank == 0)
    scanf("%d", &steps);
  MPI_Bcast(h, 2, MPI_INT, 0, c);
  if (rank != 0)
    steps = h[1];
  // CHECK: [[@LINE+1]]:19: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  for (int e = 0; e < steps; ++e)
    w[0] += 1;
}
void changedBehind([[spmd::type("dp: R")]] double *w, [[spmd::axis("dp")]] MPI_Comm c) {
  int rank, h[2] = {1, 1};
  MPI_Comm_rank(c, &rank);
  if (rank == 0) {
    MPI_Bcast(h, 2, MPI_INT, 0, c);
    h[0] = 2;
  } else {
    MPI_Bcast(h, 2, MPI_INT, 0, c);
  }
  // CHECK: [[@LINE+1]]:19: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  for (int e = 0; e < h[0]; ++e)
    w[0] += 1;
}
