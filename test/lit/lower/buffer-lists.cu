// A loop over an array of pointers does to each buffer once what its body says,
// as one over a list of tensors does.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Config {
  [[spmd::axis("dp")]] ncclComm_t comm;
};
struct Grads {
  float *w, *b;
};
void use([[spmd::type("dp: R")]] const float *x);

template <int N> void reduce(float *const (&list)[N], Config *c) {
  for (int i = 0; i < N; ++i)
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'list[i]' is R or I{{.*}} [spmd-src-type]
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
}
void once([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
          Config *c) {
  float *const list[] = {x, y};
  reduce(list, c);
}
void twice([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
           Config *c) {
  float *const list[] = {x, y};
  reduce(list, c);
  // CHECK: [[#@LINE+1]]:3: note: with the types of this call in 'twice'
  reduce(list, c);
}
// Each layer has a part of the buffers.
void layers([[spmd::type("dp: V")]] Grads *g, int n, Config *c) {
  for (int l = 0; l < n; ++l) {
    float *w = g->w + l * 4, *b = g->b + l * 4;
    float *const list[] = {w, b};
    reduce(list, c);
  }
}
template <int N> void reduceAgain(float *const (&list)[N], Config *c) {
  for (int i = 0; i < N; ++i)
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'list[i]' is R or I{{.*}} [spmd-src-type]
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
}
void layersTwice([[spmd::type("dp: V")]] Grads *g, int n, Config *c) {
  for (int l = 0; l < n; ++l) {
    float *w = g->w + l * 4, *b = g->b + l * 4;
    float *const list[] = {w, b};
    reduceAgain(list, c);
    // CHECK: [[#@LINE+1]]:5: note: with the types of this call in 'layersTwice'
    reduceAgain(list, c);
  }
}
// Two loops that share the list's work are no double reduction.
void halves([[spmd::type("dp: V")]] float **list, int n, Config *c) {
  for (int i = 0; i < n / 2; ++i)
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
  for (int i = n / 2; i < n; ++i)
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
}
void counted([[spmd::type("dp: V")]] float **list, int n, Config *c) {
  for (int i = 0; i < n; ++i)
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
  for (int i = 0; i < n; ++i)
    use(list[i]);
}
void never([[spmd::type("dp: V")]] float **list, int n, Config *c) {
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'x' must be R on 'dp', but 'list[i]' is V
    use(list[i]);
}
void some([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
          Config *c) {
  float *list[2] = {x, y};
  for (int i = 0; i < 1; ++i)
    ncclAllReduce(list[i], list[i], 4, ncclFloat, ncclSum, c->comm, 0);
  for (int i = 0; i < 2; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'x' must be R on 'dp', but 'list[i]' is V
    use(list[i]);
}
