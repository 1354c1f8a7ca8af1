// Each way that a number chooses is looked at by itself, where it decides about
// a collective; what one number decides twice is one fact.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

struct Comm {
  [[spmd::axis("dp")]] ncclComm_t of;
  int size_of_group, stage;
  bool distributed;
  cudaStream_t stream;
};

void update([[spmd::type("dp: R")]] float *w,
            [[spmd::type("dp: R")]] const float *g, int n) {
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * g[i];
}
void reduce(float *g, int n, Comm *c) {
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
}

void last([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
          int n, Comm *c, bool last) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'last' is false
  if (last)
    reduce(g, n, c);
  update(w, g, n);
}
void twice([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
           int n, Comm *c) {
  if (c->stage == 2)
    reduce(g, n, c);
  if (c->stage == 2)
    update(w, g, n);
}
void other([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
           int n, Comm *c) {
  // CHECK: [[#@LINE+5]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'c->stage' is not 2
  if (c->stage == 2)
    reduce(g, n, c);
  if (c->stage != 2)
    update(w, g, n);
}
void named([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
           int n, Comm *c, int k, int steps) {
  const bool last = k == steps - 1;
  if (last)
    reduce(g, n, c);
  if (last)
    update(w, g, n);
}

// With one rank there is nothing to reduce, and nothing else is done.
void guarded(float *g, int n, Comm *c) {
  if (c->size_of_group == 1)
    return;
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
}
void guardedTwice([[spmd::type("dp: P")]] float *g, int n, Comm *c) {
  guarded(g, n, c);
  guarded(g, n, c);
}
void guards([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
            int n, Comm *c) {
  if (c->distributed)
    reduce(g, n, c);
  update(w, g, n);
}
void counted([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
             int n, Comm *c) {
  int ranks;
  ncclCommCount(c->of, &ranks);
  if (ranks > 1)
    reduce(g, n, c);
  update(w, g, n);
}

// Not known on this way, or decided anew in each round.
void failed([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
            int n, Comm *c) {
  ncclResult_t r =
      ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
  if (r != ncclSuccess)
    return;
  update(w, g, n);
}
void rounds([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
            int n, Comm *c, int steps) {
  for (int k = 0; k < steps; ++k)
    if (k == steps - 1)
      reduce(g, n, c);
  update(w, g, n);
}
void noted([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
           int n, Comm *c, bool want) {
  bool done = false;
  if (want) {
    reduce(g, n, c);
    done = true;
  }
  if (done)
    update(w, g, n);
}

// One iteration goes one way, another the other.
void everyOther([[spmd::type("dp: R")]] float *w,
                [[spmd::type("dp: V")]] const float *x, float *g, int n,
                Comm *c, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < n; ++i)
      g[i] = x[i];
    // CHECK: [[#@LINE+4]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is V
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 'k % 2' is not 0
    if (k % 2 == 0)
      reduce(g, n, c);
    update(w, g, n);
  }
}
void lastMicroStep([[spmd::type("dp: R")]] float *w,
                   [[spmd::type("dp: P")]] const float *x, float *g, int n,
                   Comm *c, int steps) {
  for (int k = 0; k < steps; ++k) {
    const bool last = k == steps - 1;
    for (int i = 0; i < n; ++i)
      g[i] += x[i];
    if (last)
      reduce(g, n, c);
    if (last)
      update(w, g, n);
  }
}
void lastMicroStepOnly([[spmd::type("dp: R")]] float *w,
                       [[spmd::type("dp: P")]] const float *x, float *g, int n,
                       Comm *c, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < n; ++i)
      g[i] = x[i];
    // CHECK: [[#@LINE+4]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 'k == steps - 1' does not hold
    if (k == steps - 1)
      reduce(g, n, c);
    update(w, g, n);
  }
}
// The first iteration is what the others find.
void onceAtFirst([[spmd::type("dp: R")]] float *w, float *g, int n, Comm *c,
                 int steps) {
  for (int k = 0; k < steps; ++k) {
    if (k == 0)
      reduce(g, n, c);
    update(w, g, n);
  }
}

// A function that decides does so for those that call it.
void reduceIf(float *g, int n, Comm *c) {
  if (c->stage == 1)
    reduce(g, n, c);
}
void reduceIfWanted(float *g, int n, Comm *c, bool want) {
  if (!want)
    return;
  reduce(g, n, c);
}
void decidedByCallee([[spmd::type("dp: R")]] float *w,
                     [[spmd::type("dp: P")]] float *g, int n, Comm *c) {
  reduceIf(g, n, c);
  // CHECK: [[#@LINE+2]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE-12]]:7: note: on the way where 'c->stage' is not 1
  update(w, g, n);
}
void decidedByArgument([[spmd::type("dp: R")]] float *w,
                       [[spmd::type("dp: P")]] float *g, int n, Comm *c) {
  reduceIfWanted(g, n, c, true);
  update(w, g, n);
}
void decidedAlike([[spmd::type("dp: R")]] float *w,
                  [[spmd::type("dp: P")]] float *g, int n, Comm *c) {
  if (c->stage == 1) {
    reduceIf(g, n, c);
    update(w, g, n);
  }
}

// A number of tokens is none of ranks.
void tokens([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g,
            int n, Comm *c, int tokens) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'tokens' is at most 1
  if (tokens > 1)
    reduce(g, n, c);
  update(w, g, n);
}
