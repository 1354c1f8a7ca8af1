// What a return takes one of is checked one by one, as if each had a return.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>

struct Layer {
  [[spmd::axis("tp")]] spmd::Axis tp;

  [[spmd::type("tp: I")]] at::Tensor
  both([[spmd::type("tp: P")]] const at::Tensor &x, bool late) const {
    return late ? spmd::all_reduce(x, tp, spmd::P, spmd::I) * 2
                : spmd::all_reduce(x * 2, tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] at::Tensor
  one([[spmd::type("tp: P")]] const at::Tensor &x, bool late) const {
    return late ? spmd::all_reduce(x, tp, spmd::P, spmd::I) * 2
                // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: the value returned from 'Layer::one' must be I on 'tp', but 'x * 2' is P
                : x * 2;
  }
  [[spmd::type("tp: I")]] at::Tensor
  three([[spmd::type("tp: P")]] const at::Tensor &x, int how) const {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: the value returned from 'Layer::three' must be I on 'tp', but 'x' is P
    return how == 0   ? x
           : how == 1 ? spmd::all_reduce(x, tp, spmd::P, spmd::I)
                      : spmd::all_reduce(x.neg(), tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] at::Tensor
  elsewhere([[spmd::type("tp: P")]] const at::Tensor &x, bool late) const {
    at::Tensor y = late ? x : spmd::all_reduce(x, tp, spmd::P, spmd::I);
    if (!late)
      return y;
    return spmd::all_reduce(x, tp, spmd::P, spmd::I);
  }
};
