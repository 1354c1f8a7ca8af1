// What one struct of a list has in a member, all have, also where a loop goes
// over the list itself.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  float *g;
  int n;
};
struct Net {
  std::vector<Layer> layers;
};

static void backward(Net &net, const float *x) {
  for (Layer &l : net.layers)
    for (int i = 0; i < l.n; ++i)
      l.g[i] = x[i] * l.w[i];
}

void right(Net &net, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  for (auto &l : net.layers)
    MPI_Allreduce(MPI_IN_PLACE, l.g, l.n, MPI_FLOAT, MPI_SUM, comm);
  for (auto &l : net.layers)
    for (int i = 0; i < l.n; ++i)
      l.w[i] -= 0.1f * l.g[i];
}

void dropped(Net &net, [[spmd::axis("dp")]] MPI_Comm, [[spmd::type("dp: V")]] const float *x) {
  backward(net, x);
  for (auto &l : net.layers)
    for (int i = 0; i < l.n; ++i)
      // CHECK: [[#@LINE+1]]:7: error: the value stored in 'l.w' must be R on 'dp', but 'l.w[i] -= 0.1f * l.g[i]' is V
      l.w[i] -= 0.1f * l.g[i];
}
