// A class that is not found, as one of a missing header, leaves expressions of
// no type in functions that have annotations.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=crashed

float sum([[spmd::type("tp: R")]] const float *x) {
  // CHECK: [[#@LINE+1]]:3: error: unknown type name 'Matrix' [clang-diagnostic-error]
  Matrix rows(3, 4);
  return x[0];
}
