// A loop over a few structs that are named does to each what an iteration does
// to the struct that it has.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <initializer_list>
#include <nccl.h>
#include <memory>
#include <vector>
#include <spmd/annotations.h>

struct Weight {
  int n;
  [[spmd::type("dp: R")]] float *w;
  float *g;
};
__global__ void backward(float *g, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    g[i] = x[i];
}
__global__ void sgd(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK-DAG: [[@LINE+4]]:5: error: from here on 'up.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+3]]:5: error: from here on 'down.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+2]]:5: error: from here on 'left.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+1]]:5: error: from here on 'first.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= rate * g[i];
}

struct Own {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight up, down;
  void step([[spmd::type("dp: V")]] const float *x) {
    backward<<<1, 1>>>(up.g, x, 1);
    backward<<<1, 1>>>(down.g, x, 1);
    for (Weight *p : {&up, &down})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct OneSummed {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight summed, left;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&summed, &left})
      backward<<<1, 1>>>(p->g, x, 1);
    ncclAllReduce(summed.g, summed.g, 1, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&summed, &left})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct AllButOne {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight first, second, third;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&first, &second, &third})
      backward<<<1, 1>>>(p->g, x, 1);
    for (Weight *p : {&second, &third})
      ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&first, &second, &third})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct Summed {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight a, b;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&a, &b})
      backward<<<1, 1>>>(p->g, x, 1);
    for (Weight *p : {&a, &b})
      ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&a, &b})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};

// The same of lists that a constructor, or the function, fills with pointers,
// that a method returns, and that a loop counts through.
struct Filled {
  Weight inner, outer;
  std::vector<Weight *> all;
  Filled() {
    all.push_back(&inner);
    all.push_back(&outer);
  }
  std::vector<Weight *> list() { return {&inner, &outer}; }
};
// CHECK-DAG: 'net.inner.w' is V on 'dp', and nothing makes it R again
void oneLeft([[spmd::axis("dp")]] ncclComm_t dp, Filled &net, [[spmd::type("dp: V")]] const float *x) {
  for (Weight *p : net.all)
    backward<<<1, 1>>>(p->g, x, 1);
  ncclAllReduce(net.outer.g, net.outer.g, 1, ncclFloat, ncclSum, dp, 0);
  for (Weight *p : net.list())
    sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
}
void allSummed([[spmd::axis("dp")]] ncclComm_t dp, Filled &net, [[spmd::type("dp: V")]] const float *x) {
  backward<<<1, 1>>>(net.inner.g, x, 1);
  backward<<<1, 1>>>(net.outer.g, x, 1);
  for (Weight *p : net.list())
    ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclSum, dp, 0);
  for (size_t i = 0; i < net.all.size(); ++i)
    sgd<<<1, 1>>>(net.all[i]->w, net.all[i]->g, 0.1f, 1);
}
// CHECK-DAG: 'p.w' is V on 'dp', and nothing makes it R again
// CHECK-DAG: 'q.w' is V on 'dp', and nothing makes it R again
void counted([[spmd::axis("dp")]] ncclComm_t dp, Weight &p, Weight &q, Weight &r, [[spmd::type("dp: V")]] const float *x) {
  Weight *some[] = {&p, &q};
  std::vector<Weight *> all;
  all.push_back(&p);
  all.push_back(&q);
  all.push_back(&r);
  for (Weight *each : all)
    backward<<<1, 1>>>(each->g, x, 1);
  ncclAllReduce(r.g, r.g, 1, ncclFloat, ncclSum, dp, 0);
  for (int i = 0; i < 2; ++i)
    sgd<<<1, 1>>>(some[i]->w, some[i]->g, 0.1f, 1);
  sgd<<<1, 1>>>(r.w, r.g, 0.1f, 1);
}
void countedSummed([[spmd::axis("dp")]] ncclComm_t dp, Weight &s, Weight &t, [[spmd::type("dp: V")]] const float *x) {
  Weight *all[2] = {&s, &t};
  backward<<<1, 1>>>(s.g, x, 1);
  backward<<<1, 1>>>(t.g, x, 1);
  for (int i = 0; i < 2; ++i) {
    Weight *each = all[i];
    ncclAllReduce(each->g, each->g, 1, ncclFloat, ncclSum, dp, 0);
  }
  sgd<<<1, 1>>>(s.w, s.g, 0.1f, 1);
  sgd<<<1, 1>>>(t.w, t.g, 0.1f, 1);
}

// Elements that have no other names in the file are followed as those of a list
// of structs are.
struct Layer {
  [[spmd::type("dp: R")]] float *w;
  float *g;
};
// CHECK-DAG: 'layers.w' is V on 'dp', and nothing makes it R again
void layersLeft([[spmd::axis("dp")]] ncclComm_t dp, std::vector<Layer *> &layers, [[spmd::type("dp: V")]] const float *x) {
  for (Layer *l : layers)
    backward<<<1, 1>>>(l->g, x, 1);
  for (Layer *l : layers)
    sgd<<<1, 1>>>(l->w, l->g, 0.1f, 1);
}
void layersSummed([[spmd::axis("dp")]] ncclComm_t dp, std::vector<Layer *> &list, [[spmd::type("dp: V")]] const float *x) {
  for (Layer *l : list)
    backward<<<1, 1>>>(l->g, x, 1);
  for (Layer *l : list)
    ncclAllReduce(l->g, l->g, 1, ncclFloat, ncclSum, dp, 0);
  for (Layer *l : list)
    sgd<<<1, 1>>>(l->w, l->g, 0.1f, 1);
}
// CHECK-DAG: 'owned.w' is V on 'dp', and nothing makes it R again
void ownedLeft([[spmd::axis("dp")]] ncclComm_t dp, std::vector<std::unique_ptr<Layer>> &owned, [[spmd::type("dp: V")]] const float *x) {
  for (auto &l : owned)
    backward<<<1, 1>>>(l->g, x, 1);
  for (auto &l : owned)
    sgd<<<1, 1>>>(l->w, l->g, 0.1f, 1);
}
