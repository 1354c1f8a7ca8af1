// NCCL on raw buffers: in place or not, rooted, grouped, checked by macros and
// by functions, with the communicator in a parameter, a field or an array.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <vector>

#define CHECK_NCCL(call)                                                       \
  if (ncclResult_t status = (call); status != ncclSuccess)                     \
  abort()
static void check(ncclResult_t status) {
  if (status != ncclSuccess)
    abort();
}

struct Comms {
  [[spmd::axis("dp")]] ncclComm_t dp;
  [[spmd::axis("tp")]] ncclComm_t tp;
};

void reduceOver(float *x, size_t n, ncclComm_t comm, cudaStream_t s) {
  check(ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s));
}

void right([[spmd::type("dp: P, tp: R -> dp: R, tp: R")]] float *g,
           [[spmd::type("dp: V -> dp: R")]] float *all,
           [[spmd::type("dp: V")]] const float *mine, size_t n, Comms &c,
           cudaStream_t s) {
  reduceOver(g, n, c.dp, s);
  ncclGroupStart();
  check(ncclAllGather(mine, all, n, ncclFloat, c.dp, s));
  ncclGroupEnd();
}
void scattered([[spmd::type("dp: V")]] float *part,
               [[spmd::type("dp: P")]] const float *g, size_t n,
               const Comms *c, cudaStream_t s) {
  CHECK_NCCL(ncclReduceScatter(g, part, n, ncclFloat, ncclSum, c->dp, s));
}
void initial([[spmd::type("dp: V -> dp: R")]] float *w, size_t n, Comms c,
             cudaStream_t s) {
  check(ncclBroadcast(w, w, n, ncclFloat, 0, c.dp, s));
}
void largest([[spmd::type("dp: V -> dp: R")]] float *x, Comms c,
             cudaStream_t s) {
  check(ncclAllReduce(x, x, 1, ncclFloat, ncclMax, c.dp, s));
}
void average([[spmd::type("dp: P -> dp: R")]] float *g, size_t n, Comms c,
             cudaStream_t s) {
  check(ncclAllReduce(g, g, n, ncclFloat, ncclAvg, c.dp, s));
}

void twiceThroughWrapper([[spmd::type("dp: P -> dp: R")]] float *g, size_t n,
                         Comms &c, cudaStream_t s) {
  check(ncclAllReduce(g, g, n, ncclFloat, ncclSum, c.dp, s));
  check(ncclAllReduce(g, g, n, ncclFloat, ncclSum, c.dp, s));
  // CHECK: [[@LINE-1]]:9: error: all_reduce on 'dp' takes V or P, but 'g' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
}
void wrongComm([[spmd::type("dp: P, tp: I -> dp: R, tp: I")]] float *g,
               size_t n, Comms &c, cudaStream_t s) {
  check(ncclAllReduce(g, g, n, ncclFloat, ncclSum, c.tp, s));
  // CHECK: [[@LINE-1]]:9: error: all_reduce on 'tp' takes V or P, but 'g' is I: summing equal values multiplies them by the axis size [spmd-src-type]
  // CHECK: note: fix: run this all_reduce on 'dp', where 'g' is V or P
}
void reducedToOne([[spmd::type("dp: P -> dp: R")]] float *g, size_t n, Comms &c,
                  // CHECK: [[@LINE-1]]:32: error: parameter 'g' on exit must be R on 'dp', but 'g' is V{{.*}} [spmd-contract]
                  cudaStream_t s) {
  check(ncclReduce(g, g, n, ncclFloat, ncclSum, 0, c.dp, s));
}
void smallest([[spmd::type("dp: P -> dp: R")]] float *g, size_t n, Comms &c,
              cudaStream_t s) {
  check(ncclAllReduce(g, g, n, ncclFloat, ncclMin, c.dp, s));
  // CHECK: [[@LINE-1]]:9: error: 'g' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
}
void gatheredTwice([[spmd::type("dp: V -> dp: R")]] float *all,
                   [[spmd::type("dp: V")]] const float *mine, size_t n,
                   Comms &c, cudaStream_t s) {
  check(ncclAllGather(mine, all, n, ncclFloat, c.dp, s));
  check(ncclAllGather(all, all, n, ncclFloat, c.dp, s));
  // CHECK: [[@LINE-1]]:9: error: all_gather on 'dp' takes V, but 'all' is R or I: every rank already has the whole, and gathers copies of it [spmd-src-type]
}
void largestPart([[spmd::type("dp: V")]] float *part,
                 [[spmd::type("dp: P")]] const float *g, size_t n, Comms &c,
                 cudaStream_t s) {
  check(ncclReduceScatter(g, part, n, ncclFloat, ncclMax, c.dp, s));
  // CHECK: [[@LINE-1]]:9: error: 'g' is P on 'dp', and this reduce_scatter does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
}
void smallestOnOne([[spmd::type("dp: V")]] float *out,
                  [[spmd::type("dp: P")]] const float *g, size_t n, Comms &c,
                  cudaStream_t s) {
  check(ncclReduce(g, out, n, ncclFloat, ncclMin, 0, c.dp, s));
  // CHECK: [[@LINE-1]]:9: error: 'g' is P on 'dp', and this reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
}
// Of ordinary values, any reduction; of what is chosen at run time, anything.
void largestOfOwn([[spmd::type("dp: V")]] float *part,
                  [[spmd::type("dp: V")]] const float *x, size_t n, Comms &c,
                  cudaStream_t s) {
  check(ncclReduceScatter(x, part, n, ncclFloat, ncclMax, c.dp, s));
}
void chosen([[spmd::type("dp: V")]] float *part,
            [[spmd::type("dp: P")]] const float *g, size_t n, ncclRedOp_t op,
            Comms &c, cudaStream_t s) {
  check(ncclReduceScatter(g, part, n, ncclFloat, op, c.dp, s));
}
void averagePart([[spmd::type("dp: V")]] float *part,
                 [[spmd::type("dp: P")]] const float *g, size_t n, Comms &c,
                 cudaStream_t s) {
  check(ncclReduceScatter(g, part, n, ncclFloat, ncclAvg, c.dp, s));
}

// Wherever it comes from, the rank that a communicator is made with is one.
struct Place {
  int rank, other;
  [[spmd::axis("dp")]] ncclComm_t dp;
};
void joined([[spmd::type("dp: R")]] const float *x, int mine, int ranks,
            ncclUniqueId id) {
  Place place;
  place.rank = mine;
  place.other = ranks;
  check(ncclCommInitRank(&place.dp, ranks, id, mine));
  [[spmd::type("dp: V")]] const float *part = x + mine * 4;
  [[spmd::type("dp: R")]] const float *same = x + place.other * 4;
  [[spmd::type("dp: R")]] const float *own = x + place.rank * 4;
  // CHECK: [[@LINE-1]]:46: error: the value of 'own' must be R on 'dp'{{.*}} [spmd-contract]
}
