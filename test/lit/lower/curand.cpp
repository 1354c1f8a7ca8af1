// What cuRAND draws is as different between ranks as what seeds it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <curand.h>
#include <nccl.h>

void differs([[spmd::axis("dp")]] ncclComm_t c, [[spmd::type("dp: R")]] float *w, size_t n) {
  int rank;
  ncclCommUserRank(c, &rank);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(g, 1234 + rank);
  // CHECK: [[@LINE+1]]:3: error: {{.*}}'w'
  curandGenerateUniform(g, w, n);
}
void isTheSame([[spmd::axis("dp")]] ncclComm_t c, [[spmd::type("dp: R")]] float *w, size_t n) {
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  curandGenerateNormal(g, w, n, 0, 1);
}
void isSent([[spmd::axis("dp")]] ncclComm_t c, [[spmd::type("dp: R")]] float *w, size_t n) {
  int rank;
  ncclCommUserRank(c, &rank);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(g, 1234 + rank);
  curandGenerateUniform(g, w, n);
  ncclBroadcast(w, w, n, ncclFloat, 0, c, 0);
}
