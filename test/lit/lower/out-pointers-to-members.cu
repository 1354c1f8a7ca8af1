// What a helper gives out by pointers to pointers are names of its object's
// buffers, as by references: what is done by one name is seen by the other.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DROPPED --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DTWICE %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

__global__ void sgd(float *w, const float *g, float lr, int n) {
  int i = threadIdx.x;
  // DROPPED: [[#@LINE+2]]:5: error: from here on 'n.w' is V on 'dp', and nothing makes it R again
  if (i < n)
    w[i] -= lr * g[i];
}
struct Net {
  [[spmd::axis("dp")]] ncclComm_t c;
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
};
static void both(Net *n, float **w, float **g) {
  *w = n->w;
  *g = n->g;
}
// Who wants one of them alone.
static void some(Net *n, float **w, float **g) {
  if (w != nullptr)
    *w = n->w;
  if (g)
    *g = n->g;
}
static void reduce(ncclComm_t c, float *g) {
  ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c, nullptr);
}

#if defined(DROPPED)
void dropped(Net &n) {
  float *w, *g;
  both(&n, &w, &g);
  sgd<<<1, 32>>>(w, g, 0.1f, 4);
}
#elif defined(TWICE)
void twice(Net &n) {
  float *w, *g;
  both(&n, &w, &g);
  ncclAllReduce(g, g, 4, ncclFloat, ncclSum, n.c, nullptr);
  // TWICE: [[#@LINE+1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but 'n.g' is R or I
  ncclAllReduce(n.g, n.g, 4, ncclFloat, ncclSum, n.c, nullptr);
  sgd<<<1, 32>>>(w, g, 0.1f, 4);
}
#else
void byOneName(Net &n) {
  float *w, *g;
  both(&n, &w, &g);
  ncclAllReduce(g, g, 4, ncclFloat, ncclSum, n.c, nullptr);
  sgd<<<1, 32>>>(n.w, n.g, 0.1f, 4);
}
void byTheOther(Net &n) {
  float *w, *g;
  both(&n, &w, &g);
  reduce(n.c, n.g);
  sgd<<<1, 32>>>(w, g, 0.1f, 4);
}
void one(Net &n) {
  float *g;
  some(&n, nullptr, &g);
  reduce(n.c, g);
  sgd<<<1, 32>>>(n.w, n.g, 0.1f, 4);
}
#endif
