// In which order numbers are behind a shuffle, its engine says: what a rank
// takes by them is its own where the engine is.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DWRONG 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %stubs -DBROADCAST 2>&1 | FileCheck %s --check-prefix=BROADCAST --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

struct Sample {
  float pixels[16];
  int label;
};
std::vector<Sample> load();

struct Net {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> g;

  void backward(const Sample &s) {
    for (int i = 0; i < 16; ++i)
      g[i] += (w[i] * s.pixels[i] - s.label) * s.pixels[i];
  }
  void step(float rate) {
    for (int i = 0; i < 16; ++i)
      // CHECK: [[#@LINE+2]]:7: error: from here on 'net.w' is V on 'dp', and nothing makes it R again
      // BROADCAST: [[#@LINE+1]]:7: error: 'rate * g[i]' is made of what one rank of 'dp' has computed of its own data
      w[i] -= rate * g[i];
  }
};

void train([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] int rank, std::vector<int> order) {
  const std::vector<Sample> data = load();
  std::mt19937 engine(123 + rank);
  std::shuffle(order.begin(), order.end(), engine);
  Net net{comm, std::vector<float>(16), std::vector<float>(16)};
  for (int i = 0; i < 100; ++i) {
    std::fill(net.g.begin(), net.g.end(), 0.0f);
    net.backward(data[order[i]]);
#ifdef BROADCAST
    MPI_Bcast(net.g.data(), 16, MPI_FLOAT, 0, comm);
#elif !defined(WRONG)
    MPI_Allreduce(MPI_IN_PLACE, net.g.data(), 16, MPI_FLOAT, MPI_SUM, comm);
#endif
    net.step(0.1f);
  }
}
// Of an engine that all seed alike nobody knows.
void alike([[spmd::axis("dp")]] MPI_Comm comm, std::vector<int> order, std::vector<float> &out,
           [[spmd::type("dp: R")]] const std::vector<float> &x) {
  std::mt19937 engine(123);
  std::shuffle(order.begin(), order.end(), engine);
  for (int i = 0; i < 16; ++i)
    out[i] = x[order[i]];
}
