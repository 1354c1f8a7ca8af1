// What is given as a literal is in a function what its parameter is declared to
// be there.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#include <vector>

float loss([[spmd::type("dp: V")]] const std::vector<float> &own, [[spmd::axis("dp")]] MPI_Comm comm) {
  float sum = 0, all = 0;
  for (float x : own)
    sum += x * x;
  MPI_Allreduce(&sum, &all, 1, MPI_FLOAT, MPI_SUM, comm);
  return all;
}
float norm([[spmd::type("dp: R")]] const std::vector<float> &weights, [[spmd::axis("dp")]] MPI_Comm comm) {
  float sum = 0, all = 0;
  for (float x : weights)
    sum += x * x;
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'sum' is R: summing equal values multiplies them by the axis size [spmd-src-type]
  MPI_Allreduce(&sum, &all, 1, MPI_FLOAT, MPI_SUM, comm);
  return all;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  std::vector<float> zeros(16, 0.0f);
  const float a = loss(zeros, MPI_COMM_WORLD), b = norm(zeros, MPI_COMM_WORLD);
  MPI_Finalize();
  return a < b;
}
