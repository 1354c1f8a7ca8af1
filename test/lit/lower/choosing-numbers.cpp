// Numbers that say which of several ways is gone, and such that say how many
// there are: of the latter, none and one are no ways. C has one type for both.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- %stubs -DRIGHT 2>&1 | count 0
#include <nccl.h>

struct Comm {
  [[spmd::axis("dp")]] ncclComm_t of;
  int zero_stage, parts;
  cudaStream_t stream;
};
void update([[spmd::type("dp: R")]] float *w,
            [[spmd::type("dp: R")]] const float *g, int n);
void reduce(float *g, int n, Comm *c) {
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
}
#define W [[spmd::type("dp: R")]] float *w
#define G [[spmd::type("dp: P")]] float *g
enum Mode { SYNC, LOCAL };

#ifndef RIGHT
void stage(W, G, int n, Comm *c, int zero_stage) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'zero_stage' is 1
  if (zero_stage != 1)
    reduce(g, n, c);
  update(w, g, n);
}
void otherwise(W, G, int n, Comm *c, int zero_stage) {
  // CHECK: [[#@LINE+5]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'zero_stage' is 1
  if (zero_stage == 1) {
  } else
    reduce(g, n, c);
  update(w, g, n);
}
void member(W, G, int n, Comm *c) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'c->zero_stage' is 1
  if (c->zero_stage != 1)
    reduce(g, n, c);
  update(w, g, n);
}
void flag(W, G, int n, Comm *c, int sync) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'sync' is false
  if (sync)
    reduce(g, n, c);
  update(w, g, n);
}
void noted(W, G, int n, Comm *c, int k, int steps) {
  int last = k == steps - 1;
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'last' is false
  if (last)
    reduce(g, n, c);
  update(w, g, n);
}
void less(W, G, int n, Comm *c, int stage) {
  if (stage == 1)
    reduce(g, n, c);
  // CHECK: [[#@LINE+2]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
  if (stage <= 1)
    update(w, g, n);
}
void least(W, G, int n, Comm *c, int stage) {
  if (stage >= 2)
    reduce(g, n, c);
  // CHECK: [[#@LINE+2]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
  if (stage >= 1)
    update(w, g, n);
}
void named(W, G, int n, Comm *c, Mode mode) {
  // CHECK: [[#@LINE+4]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'mode' is not 0
  if (mode == SYNC)
    reduce(g, n, c);
  update(w, g, n);
}
void chosen(W, G, int n, Comm *c, int mode) {
  // CHECK: [[#@LINE+9]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is P
  // CHECK: [[#@LINE+1]]:11: note: on the way where 'mode' is not 0
  switch (mode) {
  case 0:
    reduce(g, n, c);
    break;
  default:
    break;
  }
  update(w, g, n);
}
void chosenTwice(W, G, int n, Comm *c, Mode mode) {
  switch (mode) {
  case SYNC:
    break;
  case LOCAL:
    reduce(g, n, c);
    break;
  }
  switch (mode) {
  case LOCAL:
    break;
  case SYNC:
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is P
    update(w, g, n);
  }
}
#endif

// One fact, however often it is asked for.
void twice(W, G, int n, Comm *c, int zero_stage) {
  if (zero_stage == 1)
    reduce(g, n, c);
  if (zero_stage != 1)
    return;
  update(w, g, n);
}
void switched(W, G, int n, Comm *c, Mode mode) {
  switch (mode) {
  case SYNC:
    reduce(g, n, c);
    break;
  case LOCAL:
    break;
  }
  switch (mode) {
  case SYNC:
    update(w, g, n);
    break;
  default:
    break;
  }
}
// Whoever names several has named all.
void eitherOf(W, G, int n, Comm *c, int mode) {
  switch (mode) {
  case 1:
    reduce(g, n, c);
    break;
  case 2:
    reduce(g, n, c);
    break;
  }
  update(w, g, n);
}
void noOther(W, G, int n, Comm *c, int mode) {
  switch (mode) {
  case 1:
    reduce(g, n, c);
    break;
  case 2:
    reduce(g, n, c);
    break;
  default:
    break;
  }
  update(w, g, n);
}
void falls(W, G, int n, Comm *c, int mode) {
  switch (mode) {
  case 1:
    w[0] = 0;
    [[fallthrough]];
  default:
    reduce(g, n, c);
  }
  update(w, g, n);
}
// Where there is none, nothing is left out.
void count(W, G, int count, Comm *c) {
  if (count)
    reduce(g, count, c);
  update(w, g, count);
}
void elements(W, G, int many, Comm *c) {
  if (many != 0)
    reduce(g, many, c);
  update(w, g, many);
}
void loops(W, G, int many, Comm *c, int n) {
  if (many == 0)
    return;
  for (int i = 0; i < many; ++i)
    w[i] = 0;
  if (many)
    reduce(g, n, c);
  update(w, g, n);
}
// How many ranks there are, by its name, as it is used, or as a call says.
void world(W, G, int n, Comm *c, int world_size) {
  if (world_size != 1)
    reduce(g, n, c);
  update(w, g, n);
}
void ofProcesses(W, G, int n, Comm *c, int np) {
  if (np != 1)
    reduce(g, n, c);
  update(w, g, n);
}
void averaged(W, G, int n, Comm *c, int all) {
  if (all > 1)
    reduce(g, n, c);
  w[0] *= 1.0f / all;
  update(w, g, n);
}
static void given(W, G, int n, Comm *c, int alone) {
  if (alone != 1)
    reduce(g, n, c);
  update(w, g, n);
}
void gives(W, G, int n, Comm *c) {
  int p;
  ncclCommCount(c->of, &p);
  given(w, g, n, c, p);
}
void divides(W, G, int n, Comm *c) {
  if (c->parts > 1)
    reduce(g, n, c);
  update(w, g, n / c->parts);
}
