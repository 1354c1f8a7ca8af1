// As many first elements of a whole as a rank has of a sharded dim are the same
// ones on all ranks.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>

using at::Tensor;

namespace [[spmd::mesh("sp=4")]] program {

[[spmd::axis("sp")]] extern spmd::Axis sp;

[[spmd::global]] Tensor
first([[spmd::type("[2, 64@sp, 32]")]] Tensor x,
      [[spmd::type("[1, 64, 32]{sp: R}")]] Tensor pos) {
  // CHECK: [[#@LINE+1]]:10: error: 'add' takes 'j' of 'x' and of 'pos.slice(1, 0, x.size(1))' for the same, but they are [2, 64@sp, 32] and [1, 16, 32]
  return x + pos.slice(1, 0, x.size(1));
}
[[spmd::global]] Tensor
named([[spmd::type("[B, S@sp, 32]")]] Tensor x,
      [[spmd::type("[1, S, 32]{sp: R}")]] Tensor pos) {
  // CHECK: [[#@LINE+1]]:10: error: 'add' takes 's' of 'x' and of 'pos.narrow(1, 0, x.size(1))' for the same
  return x + pos.narrow(1, 0, x.size(1));
}
[[spmd::global]] Tensor
own([[spmd::type("[2, 64@sp, 32]")]] Tensor x,
    [[spmd::type("[1, 64, 32]{sp: R}")]] Tensor pos) {
  return x + pos.narrow(1, sp.rank() * x.size(1), x.size(1));
}
[[spmd::global]] Tensor
whole([[spmd::type("[2@sp, 64, 32]")]] Tensor x,
      [[spmd::type("[1, 64, 32]{sp: R}")]] Tensor pos) {
  return x + pos.slice(1, 0, x.size(1));
}
[[spmd::global]] Tensor
longer([[spmd::type("[2@sp, 16, 32]")]] Tensor x,
       [[spmd::type("[1, 64, 32]{sp: R}")]] Tensor pos) {
  return x + pos.slice(1, 0, x.size(1));
}
[[spmd::global]] Tensor
cut([[spmd::type("[2, 64@sp, 32]")]] Tensor x,
    [[spmd::type("[1, 64@sp, 32]")]] Tensor pos) {
  return x + pos.slice(1, 0, x.size(1));
}

} // namespace program
