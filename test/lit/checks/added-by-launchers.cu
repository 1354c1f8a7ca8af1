// What a function adds by the kernel that it launches.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>
#include <spmd/annotations.h>

__global__ void biasKernel(float *y, const float *b, int dim) {
  int j = threadIdx.x;
  if (j < dim)
    y[j] += b[j];
}
void addBias(float *y, const float *b, int dim) { biasKernel<<<1, 256>>>(y, b, dim); }
void addTwo(float *y, int dim, const float *b) { addBias(y, b, dim); }
struct Mlp {
  [[spmd::axis("tp")]] ncclComm_t comm;
  [[spmd::type("tp: R")]] float *bias;

  void before([[spmd::type("tp: V -> tp: R")]] float *y, int dim) {
    // CHECK: [[@LINE+1]]:5: error: 'bias' is R and is added to 'y', which is each rank's term of a sum over 'tp', in 'add'
    addBias(y, bias, dim);
    ncclAllReduce(y, y, dim, ncclFloat, ncclSum, comm, 0);
  }
  void beforeByTwo([[spmd::type("tp: V -> tp: R")]] float *y, int dim) {
    // CHECK: [[@LINE+1]]:5: error: 'bias' is R and is added to 'y', which is each rank's term of a sum over 'tp', in 'add'
    addTwo(y, dim, bias);
    ncclAllReduce(y, y, dim, ncclFloat, ncclSum, comm, 0);
  }
  void behind([[spmd::type("tp: V -> tp: R")]] float *y, int dim) {
    ncclAllReduce(y, y, dim, ncclFloat, ncclSum, comm, 0);
    addTwo(y, dim, bias);
  }
};
