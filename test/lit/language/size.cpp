// [[spmd::size("dp")]]: a number, and how many ranks an axis has.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/annotations.h>
#include <spmd/torch.h>

struct Good {
  [[spmd::size("dp")]] int world;
  SPMD_SIZE("dp") long ranks;
  [[spmd::size("dp")]] float f() const;
};

// CHECK: [[#@LINE+1]]:3: error: the number of ranks of an axis is not 'void': 'spmd::size' belongs on a number [spmd-annotation]
[[spmd::size("dp")]] void nothing();
// CHECK: [[#@LINE+1]]:3: error: the number of ranks of an axis is not 'at::Tensor': 'spmd::size' belongs on a number [spmd-annotation]
[[spmd::size("dp")]] at::Tensor tensor();
// CHECK: [[#@LINE+1]]:10: error: 'spmd::size' belongs on a variable, parameter, field or function, not on a class [spmd-annotation]
struct [[spmd::size("dp")]] Class {};
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: expected the end, got 'tp' [spmd-annotation]
void list([[spmd::size("dp tp")]] int n);
