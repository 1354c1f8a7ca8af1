// What is known of some functions is not said of those that no axis reaches.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>&1 | FileCheck %s --check-prefix=FILE
// LINE: no findings; 100 % of 5 tensor expressions typed on w, none of 6 where no axis is named
// FILE: coverage-without-axes.cpp: 100 % of 5 tensor expressions typed on w, none of 6 where no axis is named
// FILE-NEXT: 'half': none of 6 tensor expressions typed
// FILE-NEXT: 'step': 100 % of 4 tensor expressions typed on w; gradients of 1 of 1 update followed{{$}}
// FILE-NEXT: 'main': 100 % of 1 tensor expression typed on w
#include <mpi.h>
#include <vector>

[[spmd::type("w: R")]] std::vector<float> x;

float half(const std::vector<float> &v) {
  float s = 0;
  for (float e : v)
    s += e / 2;
  return s;
}
void step([[spmd::type("w: R")]] float *x, [[spmd::type("w: R")]] const float *g, int n, MPI_Comm w) {
  for (int i = 0; i < n; i++)
    x[i] -= g[i];
}
int main() {
  step(x.data(), x.data(), 3, MPI_COMM_WORLD);
  return half(x) > 1;
}
