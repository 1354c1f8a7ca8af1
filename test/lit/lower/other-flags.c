// Two flags that a function is given have nothing to do with each other, unless
// those that call it say so.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -DRIGHT 2>&1 | count 0
#include <mpi.h>
#include <stdbool.h>
#include <spmd/annotations.h>

struct trainer {
  SPMD_AXIS("dp") MPI_Comm dp;
  bool sync, due;
};
void update(SPMD_TYPE("dp: R") double *w, SPMD_TYPE("dp: R") const double *g, int n);
#define W SPMD_TYPE("dp: R") double *w
#define G SPMD_TYPE("dp: P") double *g
static void sum(double *g, int n, struct trainer *t) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, t->dp);
}

#ifndef RIGHT
void early(W, G, int n, struct trainer *t, bool sync, bool dry) {
  // CHECK: [[#@LINE+7]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+2]]:7: note: on the way where 'sync' is false
  // CHECK: [[#@LINE+3]]:7: note: on the way where 'dry' is false
  if (sync)
    sum(g, n, t);
  if (dry)
    return;
  update(w, g, n);
}
void both(W, G, int n, struct trainer *t, int skip, int due) {
  // CHECK: [[#@LINE+6]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+2]]:7: note: on the way where 'skip' is true
  // CHECK: [[#@LINE+3]]:7: note: on the way where 'due' is true
  if (!skip)
    sum(g, n, t);
  if (due)
    update(w, g, n);
}
void neither(W, G, int n, struct trainer *t, bool a, bool b) {
  // CHECK: [[#@LINE+7]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+2]]:7: note: on the way where 'a' is false
  // CHECK: [[#@LINE+3]]:7: note: on the way where 'b' is false
  if (a)
    sum(g, n, t);
  if (b)
    sum(g, n, t);
  update(w, g, n);
}
static void called(W, G, int n, struct trainer *t, bool sync, bool due) {
  if (sync)
    sum(g, n, t);
  // CHECK: [[#@LINE+2]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
  if (due)
    update(w, g, n);
}
void calls(W, G, int n, struct trainer *t) {
  called(w, g, n, t, false, true);
}
#endif

// Calls say what belongs together.
static void constants(W, G, int n, struct trainer *t, bool sync, bool due) {
  if (sync)
    sum(g, n, t);
  if (due)
    update(w, g, n);
}
void callsConstants(W, G, int n, struct trainer *t) {
  constants(w, g, n, t, true, true);
}
void callsOthers(W, G, int n, struct trainer *t) {
  constants(w, g, n, t, false, false);
}
static void alike(W, G, int n, struct trainer *t, bool sync, bool due) {
  if (sync)
    sum(g, n, t);
  if (due)
    update(w, g, n);
}
void callsAlike(W, G, int n, struct trainer *t, bool last) {
  alike(w, g, n, t, last, last);
}
static void computed(W, G, int n, struct trainer *t, bool sync, bool due) {
  if (sync)
    sum(g, n, t);
  if (due)
    update(w, g, n);
}
void callsComputed(W, G, int n, struct trainer *t, int k, int steps) {
  const bool last = k == steps - 1, due = last;
  computed(w, g, n, t, last, due);
}
static void handed(W, G, int n, struct trainer *t, bool sync, bool due) {
  alike(w, g, n, t, sync, due);
}
void callsHanded(W, G, int n, struct trainer *t) {
  handed(w, g, n, t, true, true);
}
// What members say may belong together.
void members(W, G, int n, struct trainer *t) {
  if (t->sync)
    sum(g, n, t);
  if (t->due)
    update(w, g, n);
}
void same(W, G, int n, struct trainer *t, bool sync) {
  if (sync)
    sum(g, n, t);
  if (sync)
    update(w, g, n);
}
void returns(W, G, int n, struct trainer *t, bool sync, bool dry) {
  if (!sync)
    return;
  sum(g, n, t);
  if (dry)
    return;
  update(w, g, n);
}
void within(W, G, int n, struct trainer *t, bool sync, bool due) {
  if (sync)
    sum(g, n, t);
  if (sync && due)
    update(w, g, n);
}
// Two ways to sum exclude each other.
void eitherWay(W, G, int n, struct trainer *t, bool flat, bool each) {
  if (flat)
    sum(g, n, t);
  else if (each)
    for (int i = 0; i < n; ++i)
      sum(g + i, 1, t);
  else
    return;
  update(w, g, n);
}
