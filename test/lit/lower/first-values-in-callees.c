// What each rank draws in a function of its own, into a global or a member of
// what that is given, its caller may send round then.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

#define ARGUMENTS SPMD_AXIS("dp") MPI_Comm dp
#define SEED                                                                   \
  int rank;                                                                    \
  MPI_Comm_rank(dp, &rank);                                                    \
  srand(42 + rank)
// CHECK: [[#@LINE+1]]:36: error: from here on 'kept' is V on 'dp', and nothing makes it R again
static double drawn(void) { return (double)rand() / RAND_MAX - 0.5; }

SPMD_TYPE("dp: R") static double kept[8];
static void drawKept(void) {
  for (int i = 0; i < 8; i++)
    kept[i] = drawn();
}
void notSent(ARGUMENTS) {
  SEED;
  drawKept();
}

struct net {
  SPMD_TYPE("dp: R") float *w;
  int n;
};
static void drawNet(struct net *net) {
  for (int i = 0; i < net->n; i++)
    // CHECK: [[#@LINE+1]]:17: error: from here on 'net.w' is V on 'dp', and nothing makes it R again
    net->w[i] = (float)rand() / RAND_MAX;
}
void netNotSent(struct net *net, ARGUMENTS) {
  SEED;
  drawNet(net);
}

// An update by each rank's own is none of these.
SPMD_TYPE("dp: R") static double moved[8];
static void move(SPMD_TYPE("dp: V") const double *x) {
  for (int i = 0; i < 8; i++)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'moved' must be R on 'dp'
    moved[i] -= x[i];
}
void movedApart(ARGUMENTS, SPMD_TYPE("dp: V") const double *x) {
  SEED;
  move(x);
}

//===--- Right ------------------------------------------------------------===//

SPMD_TYPE("dp: R") static double vector[8];
SPMD_TYPE("dp: R") static double matrix[4][4];
SPMD_TYPE("dp: R") static double *pointed;
static struct net global;
static void drawAll(void) {
  for (int i = 0; i < 8; i++)
    vector[i] = drawn();
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      matrix[i][j] = 2 * drawn() - 1;
  pointed = malloc(8 * sizeof *pointed);
  for (int i = 0; i < 8; i++)
    pointed[i] = drawn();
  for (int i = 0; i < global.n; i++)
    global.w[i] = (float)rand() / RAND_MAX;
}
static void sendAll(MPI_Comm comm) {
  MPI_Bcast(vector, 8, MPI_DOUBLE, 0, comm);
  MPI_Bcast(matrix, 16, MPI_DOUBLE, 0, comm);
  MPI_Bcast(pointed, 8, MPI_DOUBLE, 0, comm);
  MPI_Bcast(global.w, global.n, MPI_FLOAT, 0, comm);
}
void sent(ARGUMENTS) {
  SEED;
  drawAll();
  sendAll(dp);
}
static void drawOther(struct net *net) {
  for (int i = 0; i < net->n; i++)
    net->w[i] = (float)rand() / RAND_MAX;
}
void netSent(struct net *net, ARGUMENTS) {
  SEED;
  drawOther(net);
  MPI_Bcast(net->w, net->n, MPI_FLOAT, 0, dp);
}
