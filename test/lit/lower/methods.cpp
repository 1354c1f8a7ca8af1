// What one method does to a field reaches the next one, also through a caller
// that never names the field.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cmath>
#include <cuda_runtime.h>
#include <nccl.h>

struct Trainer {
  [[spmd::axis("dp")]] ncclComm_t comm;
  [[spmd::type("dp: P")]] float *grads;
  [[spmd::type("dp: R")]] float *params;
  size_t n, part;
  int rank;
  cudaStream_t stream;

  void reduce() {
    ncclAllReduce(grads, grads, n, ncclFloat, ncclSum, comm, stream);
  }
  void update(float *x, const float *g, size_t count) {
    for (size_t i = 0; i < count; ++i)
      x[i] -= 0.1f * g[i] / (std::sqrt(g[i] * g[i]) + 1e-8f);
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'g[i]' and 'g[i]' are both P on 'dp' and meet in 'mul'{{.*}} [spmd-partial-product]
    // CHECK: [[@LINE+10]]:5: note: with the types of this call in 'Trainer::forgot'
  }
  void updateAll() { update(params, grads, n); }
  void step() {
    reduce();
    updateAll();
  }
  void forgot() {
    for (size_t i = 0; i < n; ++i)
      grads[i] *= 0.5f;
    update(params, grads, n);
  }

  void updateOwnPart() {
    int r;
    ncclCommUserRank(comm, &r);
    float *own = params + r * part;
    update(own, grads + r * part, part);
  }
  void gather() {
    int r;
    ncclCommUserRank(comm, &r);
    ncclAllGather(params + r * part, params, part, ncclFloat, comm, stream);
  }
  void sharded() {
    reduce();
    updateOwnPart();
    gather();
  }
};

struct Sharded {
  [[spmd::axis("dp")]] ncclComm_t comm;
  [[spmd::type("dp: R")]] float *params;
  size_t part;

  void forgotGather([[spmd::type("dp: V")]] const float *g) {
    int r;
    ncclCommUserRank(comm, &r);
    float *own = params + r * part;
    own[0] -= 0.1f * g[0];
    // CHECK: [[@LINE-2]]:18: error: from here on 'params' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  }
  // It is the field that is left so, not the parameter of that name.
  void ofTheSameName([[spmd::type("dp: V")]] const float *params) {
    int r;
    ncclCommUserRank(comm, &r);
    float *own = this->params + r * part;
    own[0] -= 0.1f * params[0];
    // CHECK: [[@LINE-2]]:18: error: from here on 'params' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  }
};
