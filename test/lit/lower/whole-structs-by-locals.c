// A local pointer to all of a struct of numbers names each of its members; what
// memset() cleared is no zero any more where a member was written by its name.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 12 };
typedef struct {
  float a[8], b[4];
} Numbers;
typedef struct {
  [[spmd::type("dp: R")]] Numbers p;
  Numbers g;
  [[spmd::type("dp: R")]] Numbers m;
} Net;
#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, Net *net,                                  \
      [[spmd::type("dp: V")]] const float *x

static void backward(Net *net, const float *x) {
  memset(&net->g, 0, sizeof net->g);
  for (int i = 0; i < 8; i++)
    net->g.a[i] += net->p.a[i] * x[i];
  for (int i = 0; i < 4; i++)
    net->g.b[i] += net->p.b[i] * x[i];
}
static void sumByLocal(Net *net, MPI_Comm dp) {
  float *g = (float *)&net->g;
  // CHECK-DAG: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'net.g.a' is R or I
  MPI_Allreduce(MPI_IN_PLACE, g, COUNT, MPI_FLOAT, MPI_SUM, dp);
}
static void sumByMembers(Net *net, MPI_Comm dp) {
  MPI_Allreduce(MPI_IN_PLACE, net->g.a, 8, MPI_FLOAT, MPI_SUM, dp);
  MPI_Allreduce(MPI_IN_PLACE, net->g.b, 4, MPI_FLOAT, MPI_SUM, dp);
}
static void updateMembers(Net *net) {
  for (int i = 0; i < 8; i++)
    net->p.a[i] -= net->g.a[i];
  for (int i = 0; i < 4; i++)
    net->p.b[i] -= net->g.b[i];
}
static void updateByLocals(Net *net) {
  float *p = (float *)&net->p, *g = (float *)&net->g;
  for (int i = 0; i < COUNT; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'net.p.a' must be R on 'dp', but 'p[i] -= g[i]' is V
    p[i] -= g[i];
}
static void updateByMomentum(Net *net) {
  float *p = (float *)&net->p, *m = (float *)&net->m;
  const float *g = (const float *)&net->g;
  for (int i = 0; i < COUNT; i++) {
    float e = g[i];
    // CHECK-DAG: [[#@LINE+1]]:5: error: the value stored in 'net.m.a' must be R on 'dp'
    m[i] = .9f * m[i] + .1f * e;
    p[i] -= .1f * m[i];
  }
}

void dropped(ARGUMENTS) {
  backward(net, x);
  updateByLocals(net);
}
void droppedBeforeMomentum(ARGUMENTS) {
  backward(net, x);
  updateByMomentum(net);
}
void twice(ARGUMENTS) {
  backward(net, x);
  sumByLocal(net, dp);
  sumByLocal(net, dp);
  updateMembers(net);
}

//===--- Right ------------------------------------------------------------===//

static void sum(Net *net, MPI_Comm dp) {
  float *g = (float *)&net->g;
  MPI_Allreduce(MPI_IN_PLACE, g, COUNT, MPI_FLOAT, MPI_SUM, dp);
}
static void update(Net *net) {
  float *p = (float *)&net->p, *g = (float *)&net->g;
  for (int i = 0; i < COUNT; i++)
    p[i] -= g[i];
}
static void momentum(Net *net) {
  float *p = (float *)&net->p, *g = (float *)&net->g, *m = (float *)&net->m;
  for (int i = 0; i < COUNT; i++) {
    float e = g[i];
    m[i] = .9f * m[i] + .1f * e;
    p[i] -= .1f * m[i];
  }
}
void byLocalThenMembers(ARGUMENTS) {
  backward(net, x);
  sum(net, dp);
  updateMembers(net);
}
void byMembersThenLocals(ARGUMENTS) {
  backward(net, x);
  sumByMembers(net, dp);
  update(net);
}
void byLocals(ARGUMENTS) {
  memset(&net->m, 0, sizeof net->m);
  for (int s = 0; s < 10; s++) {
    backward(net, x);
    sum(net, dp);
    momentum(net);
  }
}
void ofOwn(ARGUMENTS) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  srand(rank);
  Net *own = malloc(sizeof *own);
  float *p = (float *)&own->p;
  for (int i = 0; i < COUNT; i++)
    p[i] = rand() / (float)RAND_MAX;
  MPI_Bcast(&own->p, COUNT, MPI_FLOAT, 0, dp);
  memset(&own->m, 0, sizeof own->m);
  for (int s = 0; s < 10; s++) {
    backward(own, x);
    float *g = (float *)&own->g, largest = 0;
    for (int i = 0; i < COUNT; i++)
      largest = g[i] > largest ? g[i] : largest;
    sumByMembers(own, dp);
    momentum(own);
  }
  free(own);
}
// Pointers that go on.
void walked(ARGUMENTS) {
  backward(net, x);
  sumByMembers(net, dp);
  float *p = (float *)&net->p, *g = (float *)&net->g;
  for (int i = 0; i < COUNT; i++)
    *p++ -= *g++;
}
void walkedThroughMomentum(ARGUMENTS) {
  backward(net, x);
  sumByMembers(net, dp);
  float *p = (float *)&net->p, *g = (float *)&net->g, *m = (float *)&net->m;
  for (int i = 0; i < COUNT; i++, p++, g++, m++) {
    *m = .9f * *m + .1f * *g;
    *p -= .1f * *m;
  }
}
