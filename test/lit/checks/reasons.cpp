// Each finding says what goes wrong, in words for those who do not know the types' names; and a repair
// stands where it is made, not where it needs an #include.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck-22 %s

#include <torch/torch.h>

#include <mpi.h>

namespace spmd {
class Axis;
}

struct Trainer {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] at::Tensor weight;
};

[[spmd::type("dp: P")]] at::Tensor part();
[[spmd::type("dp: V")]] at::Tensor own();
void takesOwn([[spmd::type("dp: V")]] const at::Tensor &x);
void takesPart([[spmd::type("dp: P")]] const at::Tensor &x);

void contracts(Trainer &t, [[spmd::type("dp: R")]] const at::Tensor &same,
               [[spmd::type("dp: I")]] const at::Tensor &whole) {
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} but 'part()' is P: nothing has added up the ranks' parts
  t.weight = part();
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} but 'own()' is V: the ranks hold different values, which are taken for one
  t.weight = own();
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} is R: all ranks hold the same, which is taken for each one's own
  takesOwn(same);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} is I: the sum over the ranks would count it once per rank
  takesPart(whole);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}} is P: each rank holds a part of a sum, which is taken for its own value
  takesOwn(part());
}

// What an all_reduce of MPI gives may be R or I.
void twice(Trainer &t, [[spmd::type("dp: V")]] float *x) {
  MPI_Allreduce(MPI_IN_PLACE, x, 8, MPI_FLOAT, MPI_SUM, t.comm);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'x' is R or I: summing equal values multiplies them by the axis size
  MPI_Allreduce(MPI_IN_PLACE, x, 8, MPI_FLOAT, MPI_SUM, t.comm);
}

[[spmd::type("dp: R")]] at::Tensor forgotten([[spmd::axis("dp")]] spmd::Axis &dp) {
  // CHECK: [[#@LINE+2]]:3: error: the value returned
  // CHECK: [[#@LINE+1]]:10: note: fix: take {{.*}} through all_reduce
  return part();
}
