// Constants may be larger than a signed number of 64 bits.
// RUN: %spmd-tidy %s -- %runtime-include | count 0

#include <cuda_runtime.h>
#include <nccl.h>

constexpr unsigned long long Seed = 0x9E3779B97F4A7C15ull;

static unsigned long long draw(unsigned long long from, bool again) {
  if (from > 5 && again)
    return from * 3;
  return from;
}
struct Generator {
  explicit Generator(unsigned long long seed) : state(seed) {}
  unsigned long long state;
};

void use([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: P")]] float *g) {
  static float all[16];
  Generator made(0xFFFFFFFFFFFFFFFFull);
  if (draw(Seed, made.state > 5))
    return;
  ncclAllReduce(g, &all[0xFFFFFFFFFFFFFFFFull], 4, ncclFloat, ncclSum, dp, 0);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, 0xFFFFFFFFu);
  cudaStreamDestroy(s);
}
