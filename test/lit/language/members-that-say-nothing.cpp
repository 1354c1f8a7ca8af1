// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
//
// What is said of members is heard, or reported.

#include <mpi.h>

struct Tensor {
  float *data, *grad;
  int n;
};
struct Pair {
  float *value, *change;
};
struct Layer {
  Pair pair;
  float *bias, *scale;
};
struct Head {
  Pair pair;
  float *bias;
};
struct Described {
  [[spmd::type("dp: R")]] float *value;
  [[spmd::type("dp: V")]] float *change;
};

void use([[spmd::type("dp: R")]] const float *x);

// CHECK: [[@LINE+1]]:29: error: 'Tensor' is one tensor, whose gradient has the type that a backward pass leaves: give one type without members, or annotate the fields of 'Tensor' [spmd-annotation]
void parameter([[spmd::type("data: dp: R; grad: dp: V")]] Tensor *t);
// CHECK: [[@LINE+1]]:24: error: 'Tensor' is one tensor,
void list([[spmd::type("data: dp: R; grad: dp: V")]] Tensor **list, int n);
void whole([[spmd::type("dp: R")]] Tensor **list, int n);

// CHECK: [[@LINE+1]]:27: error: objects in an array are not told apart, so this would be about none of them: annotate the fields of 'Pair' [spmd-annotation]
void objects([[spmd::type("dp: V")]] Pair **all, int n);
// CHECK: [[@LINE+1]]:24: error: 'Pair' has no member 'chance' that could have a type [spmd-annotation]
void typo([[spmd::type("value: dp: R; chance: dp: V")]] Pair *p);
void among([[spmd::type("bias: dp: R; change: dp: V")]] Head *h);
void within([[spmd::type("bias: dp: R; change: dp: V")]] Layer *l);

void one([[spmd::type("value: dp: R; change: dp: V")]] Pair *p) {
  use(p->value);
  // CHECK: [[@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'p.change' is V
  use(p->change);
}
void described(Described **all, int n) {
  for (int i = 0; i < n; ++i) {
    use(all[i]->value);
    // CHECK: [[@LINE+1]]:5: error: the argument for 'x' must be R on 'dp', but
    use(all[i]->change);
  }
}
