// Where one axis has one rank, another may have several: what these do is
// missing all the same.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -DRIGHT 2>&1 | count 0
#include <mpi.h>
#include <spmd/annotations.h>

struct job {
  SPMD_AXIS("dp") MPI_Comm dp;
  SPMD_AXIS("tp") MPI_Comm tp;
  SPMD_AXIS("world") MPI_Comm world;
  [[spmd::size("tp")]] int tp_ranks;
  [[spmd::size("dp")]] int dp_ranks;
};
void update(SPMD_TYPE("dp: R") double *w, SPMD_TYPE("dp: R") const double *g, int n);
#define W SPMD_TYPE("dp: R") double *w
#define G SPMD_TYPE("dp: P; tp: P") double *g
static void sum(double *g, int n, MPI_Comm over) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, over);
}

#ifndef RIGHT
void asked(W, G, int n, struct job *j) {
  int p;
  MPI_Comm_size(j->tp, &p);
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'p' is at most 1
  if (p > 1)
    sum(g, n, j->dp);
  update(w, g, n);
}
void declared(W, G, int n, struct job *j) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'j->tp_ranks' is 1
  if (j->tp_ranks != 1)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, j->dp);
  update(w, g, n);
}
#endif

void own(W, G, int n, struct job *j) {
  int p;
  MPI_Comm_size(j->dp, &p);
  if (p > 1)
    sum(g, n, j->dp);
  update(w, g, n);
}
void ownMember(W, G, int n, struct job *j) {
  if (j->dp_ranks == 1)
    return update(w, g, n);
  sum(g, n, j->dp);
  update(w, g, n);
}
void other(W, G, int n, struct job *j) {
  sum(g, n, j->dp);
  if (j->tp_ranks > 1)
    sum(g, n, j->tp);
  update(w, g, n);
}
// With one rank in all there is one of each axis.
void all(W, G, int n, struct job *j) {
  int p;
  MPI_Comm_size(j->world, &p);
  if (p > 1)
    sum(g, n, j->dp);
  update(w, g, n);
}
void product(W, G, int n, struct job *j) {
  if (j->dp_ranks * j->tp_ranks > 1)
    sum(g, n, j->dp);
  update(w, g, n);
}
