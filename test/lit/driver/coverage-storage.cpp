// Memory that nobody has written has no type to be known, and zeros are of all
// types; both are no gaps.
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>&1 | FileCheck %s

// CHECK-NOT: error:
// CHECK: coverage-storage.cpp: 100 % of 5 tensor expressions typed on dp
// CHECK-NEXT: 'buffer': 100 % of 2 tensor expressions typed on dp
// CHECK-NEXT: 'zeros': 100 % of 3 tensor expressions typed on dp
// CHECK: no findings; 100 % of 5 tensor expressions typed on dp
#include <torch/torch.h>
using torch::Tensor;

void fill(float *data);

Tensor buffer([[spmd::type("dp: V")]] const Tensor &x) {
  [[spmd::type("dp: V")]] Tensor y = x.new_empty({4});
  fill(y.data_ptr<float>());
  Tensor z = torch::empty_like(x);
  z.copy_(x);
  return y * 2;
}

Tensor zeros([[spmd::type("dp: V")]] const Tensor &x) {
  Tensor y = x.new_zeros({4});
  Tensor z = torch::zeros_like(x);
  return z + x;
}
