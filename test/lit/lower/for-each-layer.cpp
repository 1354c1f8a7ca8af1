// What std::for_each calls with each struct of a list is called with one, which
// all others are like.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <algorithm>
#include <mpi.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> dw;
};
struct Net {
  std::vector<Layer> layers;
  void backward(const float *x) {
    for (Layer &l : layers)
      for (std::size_t i = 0; i < l.w.size(); ++i)
        l.dw[i] = l.w[i] * x[i];
  }
  void step() {
    std::for_each(layers.begin(), layers.end(), [](Layer &l) {
      for (std::size_t i = 0; i < l.w.size(); ++i)
        // CHECK: [[#@LINE+1]]:9: error: from here on {{.*}} is V on 'dp'
        l.w[i] -= 0.1f * l.dw[i];
    });
  }
  void sum(MPI_Comm comm) {
    std::for_each(layers.begin(), layers.end(), [&](Layer &l) {
      MPI_Allreduce(MPI_IN_PLACE, l.dw.data(), l.dw.size(), MPI_FLOAT, MPI_SUM, comm);
    });
  }
};
void dropped(Net &net, [[spmd::type("dp: V")]] const float *x) {
  net.backward(x);
  net.step();
}

//===--- Right ------------------------------------------------------------===//

void summed(Net &net, [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x) {
  for (int i = 0; i < 10; i++) {
    net.backward(x);
    net.sum(dp);
    net.step();
  }
}
