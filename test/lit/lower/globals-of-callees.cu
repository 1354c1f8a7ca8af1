// Of a global that a callee or kernel is given, other functions rely on the
// annotation as on that of a member.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

[[spmd::axis("dp")]] static ncclComm_t comm;
[[spmd::type("dp: R")]] static float *weights;
[[spmd::type("dp: R")]] float biases[4];
[[spmd::type("dp: V")]] static float *grads;

__global__ void sgd(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 'weights' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= g[i];
}
static void onHost(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 'biases' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= g[i];
}
#ifdef WRONG
void launches() { sgd<<<1, 1>>>(weights, grads, 4); }
void calls() { onHost(biases, grads, 4); }
#else
void reduced() {
  ncclAllReduce(grads, grads, 4, ncclFloat, ncclSum, comm, nullptr);
  sgd<<<1, 1>>>(weights, grads, 4);
  onHost(biases, grads, 4);
}
// Callers make it whole again.
static void diverge() { sgd<<<1, 1>>>(weights, grads, 4); }
void converge() {
  diverge();
  ncclBroadcast(weights, weights, 4, ncclFloat, 0, comm, nullptr);
}
#endif
