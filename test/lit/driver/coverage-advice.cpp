// What is advised was tried: an annotation is said to help by what it does,
// through calls, and not where other unknown values stand in the way. Numbers
// that nothing of a tensor is in need no type.
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2> /dev/null | FileCheck %s

// CHECK: coverage-advice.cpp: 27 % of 11 tensor expressions typed on dp
// CHECK-NOT: 'rate'
// CHECK: annotate parameter 'w' of 'outer' (coverage-advice.cpp:{{[0-9]+}}): 5 expressions hang on it
// CHECK-NEXT: annotate parameter 'x' of 'inner' (coverage-advice.cpp:{{[0-9]+}}): 4 expressions hang on it
// CHECK-NOT: annotate
#include <torch/torch.h>
using at::Tensor;

struct Schedule {
  double base;
  int warmup;
};
double rate(const Schedule &s, int step) {
  return step < s.warmup ? s.base * (step + 1) / s.warmup : s.base;
}
Tensor load();
Tensor inner(const Tensor &x) { return x.relu().exp(); }
Tensor known([[spmd::type("dp: V")]] const Tensor &x, const Schedule &s,
             int step) {
  return x.relu().exp() * rate(s, step);
}
Tensor both() {
  return load() * load();
}
Tensor
outer(const Tensor &w) {
  return inner(w.relu()).exp();
}
