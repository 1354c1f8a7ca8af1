// What is written through views of views is followed to any length; what is cut
// off at a limit is said under --strict, and counted.
// RUN: not %spmd-tidy --strict --stats %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not='not all'

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

// CHECK: [[@LINE+2]]:{{.*}}error: {{.*}} [spmd-contract]
void eight([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g) {
  w.view({-1}).view({-1}).view({-1}).view({-1}).view({-1}).view({-1}).view({-1}).view({-1}).add_(g);
}

Tensor f9(Tensor x) { return x.relu(); }
// CHECK: [[@LINE+1]]:{{.*}}warning: not all is checked in 'f8', as calls are nested deeper than 8 [spmd-annotation]
Tensor f8(Tensor x) { return f9(x); }
Tensor f7(Tensor x) { return f8(x); }
Tensor f6(Tensor x) { return f7(x); }
Tensor f5(Tensor x) { return f6(x); }
Tensor f4(Tensor x) { return f5(x); }
Tensor f3(Tensor x) { return f4(x); }
Tensor f2(Tensor x) { return f3(x); }
Tensor f1(Tensor x) { return f2(x); }
void f0([[spmd::type("dp: P")]] Tensor x) { f1(x); }
// CHECK: functions: 11 (not analysed: 1, collectives not all looked at: 0)
