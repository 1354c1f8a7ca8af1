// The gradients of layers in a vector of vectors, each summed in its turn.
// RUN: not %spmd-tidy %s -- -std=c++17 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <vector>

struct Net {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<std::vector<float>> w;
  std::vector<std::vector<float>> g;

  void backward([[spmd::type("dp: V")]] const std::vector<float> &x) {
    for (size_t k = 0; k < w.size(); k++)
      for (size_t i = 0; i < w[k].size(); i++)
        g[k][i] = w[k][i] * x[i];
  }
};

void train(Net &net, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  for (int s = 0; s < steps; s++) {
    net.backward(x);
    for (auto &g : net.g)
      MPI_Allreduce(MPI_IN_PLACE, g.data(), (int)g.size(), MPI_FLOAT, MPI_SUM, net.comm);
    for (size_t k = 0; k < net.w.size(); k++)
      for (size_t i = 0; i < net.w[k].size(); i++)
        net.w[k][i] -= 0.1f * net.g[k][i];
  }
}

void dropped(Net &net, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  for (int s = 0; s < steps; s++) {
    net.backward(x);
    for (size_t k = 0; k < net.w.size(); k++)
      for (size_t i = 0; i < net.w[k].size(); i++)
        // CHECK: [[#@LINE+1]]:9: error: from here on 'net.w' is V on 'dp'
        net.w[k][i] -= 0.1f * net.g[k][i];
  }
}
