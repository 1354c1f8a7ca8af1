// What code that is not seen gives is not of the one type that would fit: what
// is made of it is not known either, and typed by nobody.
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DMIX 2>&1 | FileCheck %s --check-prefix=MIX
// CHECK: 0 % of 4 tensor expressions typed on tp
#include <torch/torch.h>
using torch::Tensor;
Tensor load(const char *);

[[spmd::type("tp: I")]] Tensor project([[spmd::type("tp: I")]] Tensor x) {
  Tensor shard = load("w");
  return torch::linear(x, shard);
}

[[spmd::type("tp: R")]] Tensor other([[spmd::type("tp: I")]] Tensor x) {
  Tensor shard = load("w");
  return torch::linear(x, shard);
}

#ifdef MIX
[[spmd::type("tp: I")]] Tensor mixed([[spmd::type("tp: I")]] Tensor x, [[spmd::type("tp: V")]] Tensor w) {
  // MIX: [[#@LINE+1]]:10: error: 'x' is I on 'tp' and meets 'w', which is V, in 'linear'
  return torch::linear(x, w);
}
#endif
