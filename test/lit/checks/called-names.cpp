// Ops of which the catalogue knows a kind are named as they are called.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=scalar_

#include <algorithm>
#include <cmath>

float root([[spmd::type("dp: P")]] const float *sum) {
  // CHECK: [[#@LINE+1]]:10: error: 'sum[0]' is P on 'dp' and enters the non-linear 'sqrt': sqrt of a sum is not the sum of the ranks' sqrt [spmd-partial-nonlinear]
  return std::sqrt(sum[0]);
}
float bounded([[spmd::type("dp: P")]] const float *sum) {
  // CHECK: [[#@LINE+1]]:10: error: 'sum[0]' is P on 'dp' and enters the non-linear 'max'
  return std::max(sum[0], 1.0f);
}
