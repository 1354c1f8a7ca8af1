// Where a pointer is null there is nothing that it could point to: what a
// function does to it elsewhere is what it does.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Job {
  [[spmd::axis("dp")]] ncclComm_t comm;
};
void use([[spmd::type("dp: R")]] const float *x);
__global__ void add(float *to, const float *from) {
  to[threadIdx.x] += from[threadIdx.x];
}

void if_there(float *bias, const float *gradient) {
  if (bias != NULL)
    add<<<1, 32>>>(bias, gradient);
}
void unless_null(float *bias, const float *gradient) {
  if (!bias)
    return;
  add<<<1, 32>>>(bias, gradient);
}
void and_more(float *bias, const float *gradient, int n) {
  if (bias && n > 0) {
    add<<<1, 32>>>(bias, gradient);
    bias = nullptr;
  }
}
void backward([[spmd::type("dp: V")]] const float *gradient, float *a, float *b,
              float *c, int n) {
  if_there(a, gradient);
  use(a);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'a' is V: {{.*}} [spmd-contract]
  unless_null(b, gradient);
  use(b);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'b' is V: {{.*}} [spmd-contract]
  and_more(c, gradient, n);
  use(c);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'c' is V: {{.*}} [spmd-contract]
}
// The call that is not made for a null pointer is made for the others.
void update(const Job &job, [[spmd::type("dp: R")]] float *weights,
            [[spmd::type("dp: V")]] float *gradient, int n) {
  if (gradient)
    ncclAllReduce(gradient, gradient, n, ncclFloat, ncclSum, job.comm, 0);
  if (weights != nullptr)
    add<<<1, 32>>>(weights, gradient);
}
// CHECK: 3 errors
