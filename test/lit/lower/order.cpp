// What a function is called with first says nothing of what it is called with
// next: a constant may be gathered, a value that is R may not.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: sed '/void warm/d' %s > %t.cpp
// RUN: not %spmd-tidy %t.cpp -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] spmd::Axis &tp();

at::Tensor gather(at::Tensor x) { return spmd::all_gather(x, tp(), spmd::V, spmd::R); }
void warm() { gather(torch::ones({4})); }
void log([[spmd::type("tp: R")]] at::Tensor loss) { gather(loss.detach()); }
// CHECK: error: {{.*}}takes V, but 'x' is R{{.*}} [spmd-src-type]
