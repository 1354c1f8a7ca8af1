// A body that is wrong with the types of one call is not repaired at the
// expense of the other calls: the call is.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>/dev/null
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <nccl.h>
#include <spmd/torch.h>

#define NCCLCHECK(CALL)                                                        \
  do {                                                                         \
    if (CALL)                                                                  \
      return;                                                                  \
  } while (0)

// FIXED: void sum(T *buffer
// FIXED-NEXT: ncclAllReduce(buffer
template <typename T>
void sum(T *buffer, size_t n, ncclComm_t over, cudaStream_t s) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'buffer' is R or I
  ncclAllReduce(buffer, buffer, n, ncclFloat, ncclSum, over, s);
}

void once([[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s,
          [[spmd::type("dp: P -> dp: R")]] float *g, size_t n) {
  sum(g, n, dp, s);
}
// FIXED: void twice(
// FIXED: {
// FIXED-NEXT: sum(g, n, dp, s);
// FIXED-NEXT: }
void twice([[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s,
           [[spmd::type("dp: P -> dp: R")]] float *g, size_t n) {
  sum(g, n, dp, s);
  // CHECK: [[#@LINE+2]]:3: note: with the types of this call in 'twice'
  // CHECK: fix: remove this call of 'sum' in 'twice': 'buffer' needs no all_reduce on 'dp'
  sum(g, n, dp, s);
}

// The same where nothing else is annotated, and through a function in between.
// FIXED: ncclResult_t plain(float *p
// FIXED-NEXT: return ncclAllReduce(p
ncclResult_t plain(float *p, size_t n, [[spmd::axis("dp")]] ncclComm_t dp) {
  return ncclAllReduce(p, p, n, ncclFloat, ncclSum, dp, 0);
}
static void through(float *p, size_t n, ncclComm_t dp) { plain(p, n, dp); }
void good(float *g, size_t n, ncclComm_t dp) { through(g, n, dp); }
// FIXED: void again(
// FIXED: {
// FIXED-NEXT: through(x, n, dp);
// FIXED-NEXT: }
void again([[spmd::type("dp: P -> dp: R")]] float *x, size_t n,
           [[spmd::axis("dp")]] ncclComm_t dp) {
  through(x, n, dp);
  NCCLCHECK(plain(x, n, dp));
}

// A function that does more than the collective is said to be, in words.
int calls;
// FIXED: void counted(
// FIXED-NEXT: ++calls;
// FIXED-NEXT: ncclAllReduce(
void counted(float *p, size_t n, [[spmd::axis("dp")]] ncclComm_t dp) {
  ++calls;
  ncclAllReduce(p, p, n, ncclFloat, ncclSum, dp, 0);
}
// FIXED: void twiceCounted(
// FIXED: {
// FIXED-NEXT: counted(x, n, dp);
// FIXED-NEXT: counted(x, n, dp);
void twiceCounted([[spmd::type("dp: P -> dp: R")]] float *x, size_t n,
                  [[spmd::axis("dp")]] ncclComm_t dp) {
  counted(x, n, dp);
  counted(x, n, dp);
}

// What each round sums again needs it in the first one.
// FIXED: void rounds(
// FIXED: ncclAllReduce(
void rounds([[spmd::type("dp: P -> dp: R")]] float *x, size_t n,
            [[spmd::axis("dp")]] ncclComm_t dp) {
  for (int i = 0; i != 3; ++i)
    ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, 0);
}

// An expression becomes what was passed.
at::Tensor whole(const at::Tensor &x, [[spmd::axis("tp")]] spmd::Axis tp) {
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
at::Tensor one([[spmd::type("tp: P")]] at::Tensor x,
               [[spmd::axis("tp")]] spmd::Axis tp) {
  return whole(x, tp);
}
// FIXED: at::Tensor two(
// FIXED: return y.relu();
at::Tensor two([[spmd::type("tp: P")]] at::Tensor x,
               [[spmd::axis("tp")]] spmd::Axis tp) {
  at::Tensor y = whole(x, tp);
  return whole(y, tp).relu();
}
