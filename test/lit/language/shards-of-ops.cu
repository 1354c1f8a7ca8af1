// Local types say of which dim each rank has a shard, and an op in factor
// notation what it makes of dims: both must fit.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>

[[spmd::op("m k, k n -> m n")]]
void gemm(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t on);
[[spmd::op("b m k, b k n -> b m n")]]
void batched(const float *a, const float *b, float *c, int count, cudaStream_t on);

#define T(Type) [[spmd::type("tp: " Type)]]
#define OUT(Type) [[spmd::type("-> tp: " Type)]]
#define COMM [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t on

//===--- Right --------------------------------------------------------------//

void columnParallel(T("R") const float *x, T("S(1)") const float *w, OUT("S(1)") float *y, cudaStream_t on) {
  gemm(x, w, y, 8, 4, 16, on);
}

void rowParallel(T("S(1)") const float *x, T("S(0)") const float *w, float *terms, OUT("R") float *y, COMM) {
  gemm(x, w, terms, 8, 16, 4, on);
  ncclAllReduce(terms, y, 128, ncclFloat, ncclSum, comm, on);
}

void bothTogether(T("R") const float *x, T("S(1)") const float *up, T("S(0)") const float *down, float *hidden,
                  float *terms, OUT("R") float *y, COMM) {
  gemm(x, up, hidden, 8, 4, 16, on);
  gemm(hidden, down, terms, 8, 16, 4, on);
  ncclAllReduce(terms, y, 128, ncclFloat, ncclSum, comm, on);
}

void ownRows(T("S(0)") const float *x, T("R") const float *w, OUT("S(0)") float *y, cudaStream_t on) {
  gemm(x, w, y, 2, 16, 16, on);
}

// Of which dim nobody says.
void someShard(T("V") const float *x, T("S(0)") const float *w, OUT("V") float *y, cudaStream_t on) {
  gemm(x, w, y, 8, 16, 4, on);
}

void unknown(const float *x, T("S(0)") const float *w, OUT("V") float *y, cudaStream_t on) {
  gemm(x, w, y, 8, 16, 4, on);
}

void ownBatches(T("S(0)") const float *x, T("S(0)") const float *y, OUT("S(0)") float *z, cudaStream_t on) {
  batched(x, y, z, 4, on);
}

// What the first rank has computed of its own data is sent round.
void firstRanks(T("V") const float *x, T("R") const float *w, float *y, OUT("R") float *all, COMM) {
  gemm(x, w, y, 8, 16, 16, on);
  ncclBroadcast(y, all, 128, ncclFloat, 0, comm, on);
}

// Each shard goes round in turn.
void ring(T("R") const float *x, T("S(1)") const float *w, float *y, float *taken, int size, COMM) {
  gemm(x, w, y, 8, 4, 16, on);
  for (int r = 0; r < size; ++r)
    ncclBroadcast(y, taken, 32, ncclFloat, r, comm, on);
}

//===--- Wrong --------------------------------------------------------------//

void wholeAndShard(T("R") const float *x, T("S(0)") const float *w, OUT("V") float *y, cudaStream_t on) {
  // CHECK: [[#@LINE+2]]:3: error: 'k' is sharded on 'tp' in 'w', but not in 'x': 'gemm' would combine different parts of it [spmd-shard-propagation]
  // CHECK: [[#@LINE+1]]:3: note: the rule of 'gemm' is m [k], [k] n -> m n
  gemm(x, w, y, 8, 16, 4, on);
}

void cutAlongAnother(T("R") const float *x, T("S(1)") const float *w,
                     // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: parameter 'y' on exit must be S(0) on 'tp', but 'y' is S(1): the tensor is cut along another dim [spmd-contract]
                     OUT("S(0)") float *y, cudaStream_t on) {
  gemm(x, w, y, 8, 4, 16, on);
}

void oneRanksTerms(T("S(1)") const float *x, T("S(0)") const float *w, float *terms, OUT("R") float *y, COMM) {
  gemm(x, w, terms, 8, 16, 4, on);
  // CHECK: [[#@LINE+1]]:3: error: broadcast on 'tp' sends round what one rank has of 'terms', but each has its terms of a sum: of the dim that is contracted each has a shard; sum them with all_reduce [spmd-src-type]
  ncclBroadcast(terms, y, 128, ncclFloat, 0, comm, on);
}

void otherBatches(T("S(0)") const float *x, T("R") const float *y, OUT("V") float *z, cudaStream_t on) {
  // CHECK: [[#@LINE+1]]:3: error: 'b' is sharded on 'tp' in 'x', but not in 'y': 'batched' would combine different parts of it [spmd-shard-propagation]
  batched(x, y, z, 4, on);
}
