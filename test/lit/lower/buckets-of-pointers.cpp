// What a container of pointers names are elements of the list that they were
// taken from; nobody says which.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DDROPPED 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cstddef>
#include <mpi.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> g;
};
struct Net {
  std::vector<Layer> layers;
};
#define ARGUMENTS                                                                                  \
  Net &net, [[spmd::type("dp: V")]] const std::vector<float> &x, [[spmd::axis("dp")]] MPI_Comm comm

static void sum(std::vector<float> &g, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, g.data(), (int)g.size(), MPI_FLOAT, MPI_SUM, comm);
}
static void backward(Net &net, const std::vector<float> &x) {
  for (Layer &l : net.layers)
    for (std::size_t i = 0; i < l.w.size(); ++i)
      l.g[i] = x[i] * l.w[i];
}
static void update(Net &net) {
  for (Layer &l : net.layers)
    for (std::size_t i = 0; i < l.w.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'net.layers.w' is V on 'dp', and nothing makes it R again
      l.w[i] -= 0.1f * l.g[i];
}

#ifdef DROPPED
void noSum(ARGUMENTS) {
  backward(net, x);
  std::vector<std::size_t> sizes;
  for (Layer &l : net.layers)
    sizes.push_back(l.w.size());
  update(net);
}
#else
void all(ARGUMENTS) {
  backward(net, x);
  std::vector<Layer *> bucket;
  for (auto &l : net.layers)
    bucket.push_back(&l);
  for (Layer *l : bucket)
    sum(l->g, comm);
  update(net);
}
void byNumber(ARGUMENTS) {
  backward(net, x);
  std::vector<Layer *> bucket;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    bucket.push_back(&net.layers[i]);
    if (bucket.size() == 4) {
      for (Layer *l : bucket)
        sum(l->g, comm);
      bucket.clear();
    }
  }
  for (Layer *l : bucket)
    sum(l->g, comm);
  update(net);
}
void gradients(ARGUMENTS) {
  backward(net, x);
  std::vector<std::vector<float> *> bucket;
  for (auto &l : net.layers)
    bucket.push_back(&l.g);
  for (auto *g : bucket)
    sum(*g, comm);
  update(net);
}
#endif
