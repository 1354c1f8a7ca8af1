// Members of one class that a loop takes in turn keep what is said of each,
// where the class is an element of a list.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <initializer_list>
#include <nccl.h>
#include <spmd/annotations.h>
#include <vector>

__global__ void axpy(float *w, const float *g, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] += a * g[i];
}
struct Param {
  float *w = nullptr, *g = nullptr;
  int n = 0;
};
struct Mlp {
  [[spmd::axis("dp")]] ncclComm_t dp;
  [[spmd::type("w: tp: V, dp: R")]] Param up;
  // CHECK-DAG: [[@LINE+1]]:16: note: declared to be R on 'tp' here
  [[spmd::type("w: tp: R, dp: R")]] Param bias;
  float *activation;
  void step(float rate) {
    for (Param *p : {&up, &bias}) {
      ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclAvg, dp, 0);
      axpy<<<1, 256>>>(p->w, p->g, -rate, p->n);
    }
  }
  void mix([[spmd::type("tp: V, dp: R")]] const float *x) {
    for (Param *p : {&up, &bias})
      axpy<<<1, 256>>>(p->w, x, 1, p->n);
  }
};
void train(std::vector<Mlp> &layers, float rate) {
  for (auto &l : layers)
    l.step(rate);
}
// CHECK-DAG: error: from here on '{{.*}}bias.w' is V on 'tp', and nothing makes it R again
void spoil(std::vector<Mlp> &layers, [[spmd::type("tp: V, dp: R")]] const float *x) {
  for (auto &l : layers)
    l.mix(x);
}
