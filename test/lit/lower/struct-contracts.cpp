// What an annotation says of the struct that a parameter points to is part of
// the contract, with a body and without; so is what a copy of a struct has.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

typedef struct {
  int n;
  float *weight;
  float *d_weight;
} Linear;
typedef struct {
  [[spmd::type("weight: dp: S(0)")]] Linear *fc;
  [[spmd::type("dp: R")]] Linear *whole;
  [[spmd::type("dp: V")]] Linear in;
} Model;

void by_member([[spmd::type("weight: dp: R")]] Linear *l, float *y) {
  for (int i = 0; i < l->n; i++)
    y[i] = l->weight[i];
}
void by_struct([[spmd::type("dp: R")]] Linear *l, float *y) {
  for (int i = 0; i < l->n; i++)
    y[i] = l->weight[i];
}
void declared([[spmd::type("weight: dp: R")]] Linear *l, float *y);
void use([[spmd::type("dp: R")]] float *w);

void wrong(Model *m, float *y) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'l.weight' must be R on 'dp', but 'm.fc.weight' is S(0)
  by_member(m->fc, y);
}
void wrong_of_declared(Model *m, float *y) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'l.weight' must be R on 'dp', but 'm.fc.weight' is S(0)
  declared(m->fc, y);
}
void wrong_of_struct(Model *m, float *y) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'l.weight' must be R on 'dp', but 'm.fc.weight' is S(0)
  by_struct(m->fc, y);
}
void right(Model *m, float *y) {
  by_member(m->whole, y);
  by_struct(m->whole, y);
  declared(m->whole, y);
}
// Nothing is said of it: the call says what it is.
void undescribed(Linear *l, float *y) { by_member(l, y); }
void overwritten(Linear *l, [[spmd::type("dp: V")]] float *x, float *y) {
  l->weight = x;
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'l.weight' must be R on 'dp', but 'l.weight' is V
  by_member(l, y);
}
// The shard is at rest, what was gathered stands in its place for a while.
void swapped(Linear *l, [[spmd::type("dp: R")]] float *gathered, float *y) {
  float *shard = l->weight;
  l->weight = gathered;
  by_member(l, y);
  l->weight = shard;
}
void with_shards(Model *m, [[spmd::type("dp: R")]] float *gathered, float *y) {
  swapped(m->fc, gathered, y);
}

void of_copy(Model *m) {
  Linear in = m->in;
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'w' must be R on 'dp', but 'in.weight' is V
  use(in.weight);
}

// An axis of a struct is that of the communicator in it.
struct Group {
  int rank, size;
  ncclComm_t comm;
};
struct Layer {
  [[spmd::axis("dp")]] Group group;
};
void sum(float *x, int n, Group g) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'x' is R or I
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, g.comm, nullptr);
}
void once([[spmd::type("dp: P -> dp: R")]] float *x, int n, Layer *l) {
  sum(x, n, l->group);
}
void twice([[spmd::type("dp: P -> dp: R")]] float *x, int n, Layer *l) {
  sum(x, n, l->group);
  sum(x, n, l->group);
}
// One mistake is told once: the member itself stays what it is declared to be.
void takes_own([[spmd::type("dp: V")]] const float *x);
void told_once(Model *m) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be V on 'dp', but 'm.whole.weight' is R
  takes_own(m->whole->weight);
}
