// Two amounts of work that fill one buffer: where there is none of the one, there may be the other's.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

#include <vector>

__global__ void attendLong(float *out, const float *q, int n) { out[threadIdx.x] = q[threadIdx.x] * 2; }
__global__ void attendShort(float *out, const float *q, int n) { out[threadIdx.x] = q[threadIdx.x] * 3; }
// CHECK: :[[#@LINE+2]]:{{.*}}error: 'x[threadIdx.x]' is R and is added to 'y[threadIdx.x]', which is P on 'tp', in 'add'
// CHECK: on the way where 'nLong' is at most 0
__global__ void add(float *x, const float *y) { x[threadIdx.x] += y[threadIdx.x]; }

[[spmd::no_typecheck]] void project([[spmd::type("-> tp: P")]] float *out, [[spmd::type("tp: S(1)")]] const float *x,
                                    [[spmd::type("tp: S(1)")]] const float *w);

struct State {
  [[spmd::type("tp: R")]] float *x;
  [[spmd::type("tp: S(1)")]] float *q, *heads, *w;
  float *sum;
};

void layer(State &s, const std::vector<int> &prompts, const std::vector<int> &others, int tokens,
           [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  int nLong = (int)prompts.size(), nShort = (int)others.size();
  if (nLong > 0)
    attendLong<<<nLong, 32, 0, stream>>>(s.heads, s.q, nLong);
  if (nShort > 0)
    attendShort<<<nShort, 32, 0, stream>>>(s.heads, s.q, nShort);
  project(s.sum, s.heads, s.w);
#ifdef WRONG
  if (nLong > 0)
#endif
    ncclAllReduce(s.sum, s.sum, tokens, ncclFloat, ncclSum, comm, stream);
  add<<<tokens, 32, 0, stream>>>(s.x, s.sum);
}

/// Where there are no tokens, there is nothing to sum.
void all(State &s, int nLong, int nShort, int tokens, [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  if (nLong > 0)
    attendLong<<<nLong, 32, 0, stream>>>(s.heads, s.q, nLong);
  if (nShort > 0)
    attendShort<<<nShort, 32, 0, stream>>>(s.heads, s.q, nShort);
  project(s.sum, s.heads, s.w);
  if (tokens > 0)
    ncclAllReduce(s.sum, s.sum, tokens, ncclFloat, ncclSum, comm, stream);
  add<<<tokens, 32, 0, stream>>>(s.x, s.sum);
}

/// There is but one kind of work.
void one(State &s, int batch, int tokens, [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  if (batch > 0)
    attendLong<<<batch, 32, 0, stream>>>(s.heads, s.q, batch);
  project(s.sum, s.heads, s.w);
  if (batch > 0)
    ncclAllReduce(s.sum, s.sum, tokens, ncclFloat, ncclSum, comm, stream);
  add<<<tokens, 32, 0, stream>>>(s.x, s.sum);
}

/// What comes from others is summed where there are others.
void remote(State &s, int nHere, int nThere, int tokens, [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  if (nHere > 0)
    attendLong<<<nHere, 32, 0, stream>>>(s.heads, s.q, nHere);
  project(s.sum, s.heads, s.w);
  if (nThere > 0) {
    ncclAllReduce(s.sum, s.sum, tokens, ncclFloat, ncclSum, comm, stream);
    attendShort<<<nThere, 32, 0, stream>>>(s.heads, s.q, nThere);
  }
  add<<<tokens, 32, 0, stream>>>(s.x, s.sum);
}
