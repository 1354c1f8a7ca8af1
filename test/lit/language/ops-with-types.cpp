// What the parameters of an op are declared to be is required of what it is
// given, and what is declared of its result and outputs is what they are.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/torch.h>

using at::Tensor;

[[spmd::op("nonlinear")]] Tensor gate([[spmd::type("tp: R")]] Tensor x, Tensor y);
[[spmd::op("nonlinear")]] [[spmd::type("tp: V")]] Tensor own(Tensor x);
[[spmd::op("linear")]] [[spmd::type("tp: P")]] Tensor terms([[spmd::type("tp: V")]] const Tensor &x);
[[spmd::op("elementwise")]] void add([[spmd::type("-> tp: V")]] float *out, const float *a, const float *b);
[[spmd::op("elementwise")]] void scale([[spmd::type("tp: R")]] float *x, float by);

[[spmd::type("tp: R")]] Tensor right([[spmd::type("tp: R")]] Tensor a) { return gate(a, a); }
Tensor argument([[spmd::type("tp: V")]] Tensor a) {
  // CHECK: [[#@LINE+1]]:10: error: the argument for 'x' must be R on 'tp', but 'a' is V
  return gate(a, a);
}
[[spmd::type("tp: V")]] Tensor rightResult([[spmd::type("tp: R")]] Tensor a) { return own(a); }
[[spmd::type("tp: P")]] Tensor rightTerms([[spmd::type("tp: V")]] Tensor a) { return terms(a); }
[[spmd::type("tp: R")]] Tensor result([[spmd::type("tp: R")]] Tensor a) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'result' must be R on 'tp', but 'own(a)' is V
  return own(a);
}
void rightOutput([[spmd::type("-> tp: V")]] float *o, [[spmd::type("tp: R")]] const float *a) { add(o, a, a); }
// CHECK: [[#@LINE+1]]:26: error: parameter 'o' on exit must be R on 'tp', but 'o' is V
void output([[spmd::type("-> tp: R")]] float *o, [[spmd::type("tp: R")]] const float *a) {
  add(o, a, a);
}
void inPlace([[spmd::type("tp: V")]] float *x) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'tp', but 'x' is V
  scale(x, 2);
}
