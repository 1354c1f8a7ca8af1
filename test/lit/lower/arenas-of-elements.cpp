// A vector whose elements point into the numbers of two others.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 -DSUM 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 | FileCheck %s

#include <mpi.h>

#include <algorithm>
#include <vector>

struct Slot {
  float *w, *g;
  int n;
};
struct Model {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> g;
  std::vector<Slot> slots;

  explicit Model(int k) : w(32 * k), g(32 * k) {
    for (int i = 0; i < k; i++)
      slots.push_back({w.data() + 32 * i, g.data() + 32 * i, 32});
  }
  void backward(const float *x) {
    for (auto &s : slots)
      for (int j = 0; j < s.n; j++)
        s.g[j] += x[j] * s.w[j];
  }
  void update() {
    for (auto &s : slots)
      for (int j = 0; j < s.n; j++)
        // CHECK: [[#@LINE+1]]:9: error: from here on 'm.w' is V on 'dp'
        s.w[j] -= .1f * s.g[j];
  }
};

void train([[spmd::axis("dp")]] MPI_Comm dp,
           [[spmd::type("dp: V")]] const float *x) {
  Model m(3);
  for (int step = 0; step < 10; step++) {
    std::fill(m.g.begin(), m.g.end(), 0.f);
    m.backward(x);
#ifdef SUM
    MPI_Allreduce(MPI_IN_PLACE, m.g.data(), 96, MPI_FLOAT, MPI_SUM, dp);
#endif
    m.update();
  }
}
void trainEach([[spmd::axis("dp")]] MPI_Comm dp,
               [[spmd::type("dp: V")]] const float *x) {
  Model m(3);
  for (int step = 0; step < 10; step++) {
    for (auto &s : m.slots)
      std::fill(s.g, s.g + s.n, 0.f);
    m.backward(x);
#ifdef SUM
    for (auto &s : m.slots)
      MPI_Allreduce(MPI_IN_PLACE, s.g, s.n, MPI_FLOAT, MPI_SUM, dp);
#endif
    for (int j = 0; j < 96; j++)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'm.w' is V on 'dp'
      m.w[j] -= .1f * m.g[j];
  }
}
