// A part at an offset that differs per rank is V, at any other what the whole
// is.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

#define TYPED [[spmd::type("tp: R")]]

Tensor byRank(TYPED Tensor x, [[spmd::axis("tp")]] const spmd::Axis &tp) {
  const int64_t n = x.size(0) / tp.size(), r = tp.rank();
  Tensor a = x.chunk(tp.size(), 0)[r];
  Tensor b = x.narrow(0, r * n, n);
  Tensor c = x.index({torch::indexing::Slice(r * n, (r + 1) * n)});
  Tensor d = x[r];
  spmd::assert_type(a, "tp: V");
  spmd::assert_type(b, "tp: V");
  spmd::assert_type(c, "tp: V");
  spmd::assert_type(d, "tp: V");
  return spmd::all_gather(b, tp, spmd::V, spmd::R);
}

Tensor alike(TYPED Tensor x, int64_t n, [[spmd::axis("tp")]] const spmd::Axis &tp) {
  for (int64_t i = 0; i < 4; ++i) {
    Tensor b = x.narrow(0, i * n, n);
    spmd::assert_type(b, "tp: R");
    spmd::assert_type(x[i], "tp: R");
  }
  return spmd::all_gather(x.narrow(0, 2, 4), tp, spmd::V, spmd::R);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_gather on 'tp' takes V{{.*}} [spmd-src-type]
}
