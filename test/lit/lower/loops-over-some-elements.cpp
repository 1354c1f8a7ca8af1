// Loops that have an iteration for some elements of a list, to a number that is
// not its size, or that a number goes over as some iterations move it on: each
// iteration has its element as it was before the loop. What the list is behind
// it depends on how far they went.
// RUN: not %spmd-tidy %s -- %stubs > %t 2>&1
// RUN: FileCheck %s --implicit-check-not=error: < %t
// RUN: FileCheck %s --check-prefix=COVERED < %t
// COVERED: operands of {{[0-9]+}} of 13 collectives typed

#include <nccl.h>
#include <torch/torch.h>

#include <vector>

using List = std::vector<torch::Tensor>;

void toANumber([[spmd::type("dp: P")]] List list, int n,
               [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0; i < n; ++i)
    ncclAllReduce(list[i].data_ptr(), list[i].data_ptr(), 8, ncclFloat, ncclSum, c, s);
}

void twice([[spmd::type("dp: P")]] List list, int n,
           [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0; i < n; ++i) {
    ncclAllReduce(list[i].data_ptr(), list[i].data_ptr(), 8, ncclFloat, ncclSum, c, s);
    // CHECK: :[[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but '{{.*}}' is R or I: {{.*}} [spmd-src-type]
    ncclAllReduce(list[i].data_ptr(), list[i].data_ptr(), 8, ncclFloat, ncclSum, c, s);
  }
}

void toTheSize([[spmd::type("dp: P")]] List list,
               [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, n = list.size(); i < n; ++i)
    ncclAllReduce(list[i].data_ptr(), list[i].data_ptr(), 8, ncclFloat, ncclSum, c, s);
  for (auto &t : list)
    // CHECK: :[[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but '{{.*}}' is R or I: {{.*}} [spmd-src-type]
    ncclAllReduce(t.data_ptr(), t.data_ptr(), 8, ncclFloat, ncclSum, c, s);
}

void byACursor([[spmd::type("dp: P")]] List list, const bool *has, int n,
               [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, k = 0; i < n; ++i)
    if (has[i]) {
      ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
      ++k;
    }
}

void byACursorTwice([[spmd::type("dp: P")]] List list, const bool *has, int n,
                    [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, k = 0; i < n; ++i)
    if (has[i]) {
      ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
      // CHECK: :[[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but '{{.*}}' is R or I: {{.*}} [spmd-src-type]
      ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
      ++k;
    }
}

// What goes on before has used nothing.
void goesOn([[spmd::type("dp: P")]] List list, const bool *has, int n,
            [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, k = 0; i < n; ++i) {
    if (has[i])
      continue;
    ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
    ++k;
  }
}

// The next iteration has the same element again.
void goesOnBehind([[spmd::type("dp: P")]] List list, const bool *has, int n,
                  [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, k = 0; i < n; ++i) {
    ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
    if (has[i])
      continue;
    ++k;
  }
}

// An iteration has several elements.
void severalEach([[spmd::type("dp: P")]] List list, const int *count, int n,
                 [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0, k = 0; i < n; ++i)
    for (int j = 0; j < count[i]; ++j) {
      ncclAllReduce(list[k].data_ptr(), list[k].data_ptr(), 8, ncclFloat, ncclSum, c, s);
      ++k;
    }
}

// It is not known how far these came.
void restLater([[spmd::type("dp: P")]] List list, int n,
               [[spmd::axis("dp")]] ncclComm_t c, cudaStream_t s) {
  for (int i = 0; i < n; ++i)
    ncclAllReduce(list[i].data_ptr(), list[i].data_ptr(), 8, ncclFloat, ncclSum, c, s);
  ncclAllReduce(list[n].data_ptr(), list[n].data_ptr(), 8, ncclFloat, ncclSum, c, s);
}
