// What a call writes is what its kind makes it; what a call that no table has
// gets a pointer to may be anything.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %if mpi %{ not %spmd-tidy %s -- -isystem %mpi-include -std=c++20 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: %}

#include <mpi.h>

#define DP [[spmd::axis("dp")]] MPI_Comm dp

// Ranks have different sums of those before them.
void scanned([[spmd::type("dp: R")]] double *out, [[spmd::type("dp: V")]] double mine, DP) {
  MPI_Scan(&mine, out, 1, MPI_DOUBLE, MPI_SUM, dp);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: parameter 'out' on exit must be R on 'dp', but 'out' is V: the ranks hold different values, which are taken for one [spmd-contract]
}
void scannedRight([[spmd::type("dp: R -> dp: V")]] double *out, [[spmd::type("dp: V")]] double mine, DP) {
  MPI_Scan(&mine, out, 1, MPI_DOUBLE, MPI_SUM, dp);
}
long offsetOf([[spmd::type("dp: V")]] long rows, DP) {
  long before = 0;
  MPI_Exscan(&rows, &before, 1, MPI_LONG, MPI_SUM, dp);
  [[spmd::type("dp: R")]] long same = before;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: the value of 'same' must be R on 'dp', but 'before' is V{{.*}} [spmd-contract]
  return same;
}
void scattered([[spmd::type("dp: R")]] float *all, [[spmd::type("dp: R")]] float *mine, DP) {
  MPI_Scatter(all, 4, MPI_FLOAT, mine, 4, MPI_FLOAT, 0, dp);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: parameter 'mine' on exit must be R on 'dp', but 'mine' is V{{.*}} [spmd-contract]
}
void scatteredFromNowhere([[spmd::type("dp: V")]] float *mine, DP) {
  MPI_Scatter(nullptr, 4, MPI_FLOAT, mine, 4, MPI_FLOAT, 0, dp);
  // CHECK: [[@LINE-1]]:3: error: this 'MPI_Scatter' gets a null buffer{{.*}} [spmd-collective-argument]
}
void gathered([[spmd::type("dp: V")]] float *mine, [[spmd::type("dp: V -> dp: R")]] float *all, DP) {
  MPI_Gather(mine, 4, MPI_FLOAT, all, 4, MPI_FLOAT, 0, dp);
  MPI_Bcast(all, 4, MPI_FLOAT, 0, dp);
}
void gatheredToOne([[spmd::type("dp: V")]] float *mine, [[spmd::type("dp: V -> dp: R")]] float *all, DP) {
  MPI_Gather(mine, 4, MPI_FLOAT, all, 4, MPI_FLOAT, 0, dp);
  // CHECK: [[@LINE-2]]:{{[0-9]+}}: error: parameter 'all' on exit must be R on 'dp', but 'all' is V{{.*}} [spmd-contract]
}
void largestSoFar([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: P")]] float *g, DP) {
  MPI_Scan(MPI_IN_PLACE, x, 4, MPI_FLOAT, MPI_MAX, dp);
}

// Who sent it, or which part of a grid a rank is, is not known: no finding, and
// nothing that it could still be R.
void passedOn([[spmd::type("dp: R")]] float *x, DP) {
  MPI_Sendrecv_replace(x, 4, MPI_FLOAT, 1, 0, 1, 0, dp, MPI_STATUS_IGNORE);
}
void neighbours([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: R")]] float *halo, DP) {
  MPI_Neighbor_allgather(x, 1, MPI_FLOAT, halo, 1, MPI_FLOAT, dp);
}
void added([[spmd::type("dp: R")]] float *x, DP) {
  float halo[4] = {0};
  MPI_Recv(halo, 4, MPI_FLOAT, 0, 0, dp, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, halo, 4, MPI_FLOAT, MPI_SUM, dp);
}
void placed([[spmd::type("dp: R")]] const float *w, DP, int rank) {
  int at[2] = {0, 0};
  MPI_Cart_coords(dp, rank, 2, at);
  [[spmd::type("dp: V")]] const float *mine = w + at[0];
}
// One-sided.
void fetched([[spmd::type("dp: R")]] int *x, [[spmd::type("dp: V")]] int *y, MPI_Win win) {
  int old = 0;
  MPI_Fetch_and_op(x, &old, MPI_INT, 0, 0, MPI_SUM, win);
  MPI_Win_flush(0, win);
  [[spmd::type("dp: V")]] int mine = old;
}
