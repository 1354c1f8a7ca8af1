// A struct of numbers is its members, also where memset(), a collective or a
// function that takes numbers is given all of it at once.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>
#include <string.h>

struct net {
  double w[64], b[8];
};
enum { COUNT = sizeof(struct net) / sizeof(double) };

static void fill(struct net *m) {
  for (int i = 0; i < 64; i++)
    m->w[i] = rand() / (double)RAND_MAX;
  memset(m->b, 0, sizeof m->b);
}

static void backward(const struct net *m, struct net *g, const double *x) {
  for (int i = 0; i < 8; i++) {
    double y = m->b[i];
    for (int j = 0; j < 8; j++)
      y += m->w[8 * i + j] * x[j];
    for (int j = 0; j < 8; j++)
      g->w[8 * i + j] += y * x[j];
    g->b[i] += y;
  }
}

static void update(double *p, const double *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+2]]:5: error: from here on 'model.b' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    // CHECK: [[#@LINE+1]]:5: error: from here on 'model.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    p[i] -= 0.1 * g[i];
}

void right(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: V") const double *x) {
  SPMD_TYPE("dp: R") struct net *model = malloc(sizeof *model);
  struct net *grad = malloc(sizeof *grad), last;
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(rank);
  fill(model);
  MPI_Bcast(model, COUNT, MPI_DOUBLE, 0, comm);
  for (int s = 0; s < 10; s++) {
    memset(grad, 0, sizeof *grad);
    backward(model, grad, x + 8 * s);
    MPI_Allreduce(MPI_IN_PLACE, grad, COUNT, MPI_DOUBLE, MPI_SUM, comm);
    update((double *)model, (double *)grad, COUNT);
    memcpy(&last, grad, sizeof last);
    for (int i = 0; i < 8; i++)
      model->b[i] -= 0.01 * last.b[i];
  }
  free(model);
  free(grad);
}

void intoAnother(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: V") const double *x) {
  SPMD_TYPE("dp: R") struct net model = {{0}};
  struct net mine = {{0}}, sum;
  backward(&model, &mine, x);
  MPI_Allreduce(&mine, &sum, COUNT, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < 64; i++)
    model.w[i] -= sum.w[i];
}

void dropped(SPMD_TYPE("dp: V") const double *x) {
  SPMD_TYPE("dp: R") struct net *model = calloc(1, sizeof *model);
  struct net *grad = malloc(sizeof *grad);
  for (int s = 0; s < 10; s++) {
    memset(grad, 0, sizeof *grad);
    backward(model, grad, x + 8 * s);
    update((double *)model, (double *)grad, COUNT);
  }
  free(model);
  free(grad);
}

void twice(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: V") const double *x) {
  SPMD_TYPE("dp: R") struct net *model = calloc(1, sizeof *model);
  struct net *grad = malloc(sizeof *grad);
  for (int s = 0; s < 10; s++) {
    memset(grad, 0, sizeof *grad);
    backward(model, grad, x + 8 * s);
    MPI_Allreduce(MPI_IN_PLACE, grad, COUNT, MPI_DOUBLE, MPI_SUM, comm);
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'grad.w' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
    MPI_Allreduce(MPI_IN_PLACE, grad, COUNT, MPI_DOUBLE, MPI_SUM, comm);
    update((double *)model, (double *)grad, COUNT);
  }
  free(model);
  free(grad);
}
