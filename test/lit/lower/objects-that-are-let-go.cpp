// Whoever lets go of an object that it has made ends it as what it is.
// RUN: %spmd-tidy --quiet %s -- %stubs -DSUMS=1 -DMADE="std::make_unique<Model>(9, comm)" -DEND="model.reset()" | count 0
// RUN: %spmd-tidy --quiet %s -- %stubs -DSUMS=1 -DMADE="new Model(9, comm)" -DEND="delete model; model = nullptr" | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSUMS=0 -DMADE="std::make_unique<Model>(9, comm)" -DEND="model.reset()" 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSUMS=0 -DMADE="std::make_unique<Model>(9, comm)" -DEND="model.reset(nullptr)" 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSUMS=0 -DMADE="std::make_unique<Model>(9, comm)" -DEND="model = nullptr" 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSUMS=0 -DMADE="std::make_shared<Model>(9, comm)" -DEND="model.reset()" 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSUMS=0 -DMADE="new Model(9, comm)" -DEND="delete model; model = nullptr" 2>&1 | FileCheck %s

#include <memory>
#include <mpi.h>
#include <vector>

struct Model {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> g;
  [[spmd::axis("dp")]] MPI_Comm comm;
  Model(int n, MPI_Comm c) : w(n), g(n), comm(c) {}
  void step([[spmd::type("dp: V")]] const std::vector<float> &x) {
    for (size_t i = 0; i < w.size(); i++)
      g[i] = w[i] * x[i];
    if constexpr (SUMS)
      MPI_Allreduce(MPI_IN_PLACE, g.data(), (int)g.size(), MPI_FLOAT, MPI_SUM, comm);
    for (size_t i = 0; i < w.size(); i++)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'model.w' is V on 'dp', and nothing makes it R again before its object ends
      w[i] -= 0.1f * g[i];
  }
};

void train([[spmd::type("dp: V")]] const std::vector<float> &x, MPI_Comm comm) {
  auto model = MADE;
  for (int i = 0; i < 10; i++)
    model->step(x);
  END;
}

// The next one begins anew.
void inTurns([[spmd::type("dp: V")]] const std::vector<float> &x, MPI_Comm comm) {
  auto model = std::make_unique<Model>(9, comm);
  for (int i = 0; i < 10; i++) {
    model->step(x);
    model = nullptr;
    model = std::make_unique<Model>(10 + i, comm);
  }
}
