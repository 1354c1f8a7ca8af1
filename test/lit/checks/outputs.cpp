// Parameters that are declared by what they hold on exit alone.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not='{{(error|warning):}}'

#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>

// Right: whatever `part` held before.
void scatter([[spmd::type("-> axis: V")]] float *part,
             [[spmd::type("axis: P")]] const float *x, int count,
             ncclComm_t axis, cudaStream_t stream) {
  ncclReduceScatter(x, part, count, ncclFloat, ncclSum, axis, stream);
}

struct Step {
  [[spmd::axis("dp")]] ncclComm_t dp;
  [[spmd::type("dp: P")]] float *gradients;
  [[spmd::type("dp: V")]] float *own;
  [[spmd::type("dp: R")]] float *scratch;
  cudaStream_t stream;

  void run(int count) { scatter(own, gradients, count, dp, stream); }
};

// What the facts do not tell may write it.
void unknown(float *buffer);
void elsewhere([[spmd::type("-> axis: V")]] float *part, ncclComm_t axis) {
  unknown(part);
}
void element([[spmd::type("-> axis: V")]] float *part, ncclComm_t axis) {
  for (int i = 0; i != 4; ++i)
    *part++ = 0;
}
void copied([[spmd::type("-> axis: V")]] float *part,
            [[spmd::type("axis: V")]] const float *x, ncclComm_t axis) {
  std::memcpy(part, x, 4 * sizeof(float));
}
void sometimes([[spmd::type("-> axis: V")]] float *part,
               [[spmd::type("axis: P")]] const float *x, int count,
               ncclComm_t axis, cudaStream_t stream) {
  if (count != 0)
    ncclReduceScatter(x, part, count, ncclFloat, ncclSum, axis, stream);
}
void later([[spmd::type("-> axis: V")]] float *part, ncclComm_t axis) {
  const auto fill = [part] { unknown(part); };
  fill();
}

// CHECK: outputs.cpp:[[#@LINE+2]]:18: error: nothing is written to 'part', which must be V on 'axis' on exit: callers rely on the annotation [spmd-contract]
void forgotten(
    [[spmd::type("-> axis: V")]] float *part,
    [[spmd::type("axis: P")]] const float *x, int count, ncclComm_t axis,
    cudaStream_t stream) {}

// Wrong as ever: another type at the end.
// CHECK: outputs.cpp:[[#@LINE+1]]:27: error: parameter 'part' on exit must be V on 'axis', but 'part' is R or I: all ranks hold the same, which is taken for each one's own [spmd-contract]
void reduced([[spmd::type("-> axis: V")]] float *part,
             [[spmd::type("axis: P")]] const float *x, int count,
             ncclComm_t axis, cudaStream_t stream) {
  ncclAllReduce(x, part, count, ncclFloat, ncclSum, axis, stream);
}
