// What a callee computes a condition from, its caller may give anew each time:
// the way of the last of several micro steps is not that of all.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

struct Comm {
  [[spmd::axis("dp")]] ncclComm_t of;
  cudaStream_t stream;
  bool enabled;
};

static void update([[spmd::type("dp: R")]] float *w, const float *g, int n) {
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * g[i];
}
static void accumulate(float *g, [[spmd::type("dp: V")]] const float *x, int n,
                       Comm *c, int micro, int steps) {
  const bool last = micro == steps - 1;
  for (int i = 0; i < n; ++i)
    g[i] += x[i];
  if (last)
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
}
void right([[spmd::type("dp: R")]] float *w, const float *x, float *g, int n,
           Comm *c, int steps) {
  for (int k = 0; k < steps; ++k)
    accumulate(g, x, n, c, k, steps);
  update(w, g, n);
}

// What its object says, it says of every call.
static void updateWrong([[spmd::type("dp: R")]] float *w, const float *g,
                        int n) {
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp', but 'w[i] -= 0.1f * g[i]' is V
    w[i] -= 0.1f * g[i];
}
static void average(float *g, [[spmd::type("dp: V")]] const float *x, int n,
                    Comm *c) {
  const bool on = c->enabled;
  for (int i = 0; i < n; ++i)
    g[i] = x[i];
  if (on)
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, c->of, c->stream);
}
void wrong([[spmd::type("dp: R")]] float *w, const float *x, float *g, int n,
           Comm *c) {
  average(g, x, n, c);
  updateWrong(w, g, n);
}
