// Elements of a list that code names by constants: what one of them differs in
// is found by a loop over all, and what nobody knows of the others stays so;
// iterators are at elements of what they began in, also in methods; buffers that
// a callee gives to an element are sent round with the others.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

struct Param {
  [[spmd::type("dp: R")]] std::vector<double> value;
  std::vector<double> grad;
};

static void backward(std::vector<Param> &ps, const double *x) {
  for (auto &p : ps)
    std::fill(p.grad.begin(), p.grad.end(), 0.0);
  for (size_t i = 0; i < 4; ++i)
    ps[0].grad[i] += x[i];
  ps[1].grad[0] += x[0];
}
static void step(std::vector<Param> &ps) {
  for (size_t k = 0; k < ps.size(); ++k)
    for (size_t i = 0; i < ps[k].value.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'ps.value' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
      ps[k].value[i] -= 0.1 * ps[k].grad[i];
}

void right(std::vector<Param> &ps, [[spmd::type("dp: V")]] const double *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  backward(ps, x);
  for (auto &p : ps)
    MPI_Allreduce(MPI_IN_PLACE, p.grad.data(), (int)p.grad.size(), MPI_DOUBLE, MPI_SUM, comm);
  step(ps);
}
void one_by_one(std::vector<Param> &ps, [[spmd::type("dp: V")]] const double *x,
                [[spmd::axis("dp")]] MPI_Comm comm) {
  backward(ps, x);
  MPI_Allreduce(MPI_IN_PLACE, ps[0].grad.data(), 4, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, ps[1].grad.data(), 1, MPI_DOUBLE, MPI_SUM, comm);
  step(ps);
}
void forgotten(std::vector<Param> &ps, [[spmd::type("dp: V")]] const double *x) {
  backward(ps, x);
  step(ps);
}
// The gradient of the second one is its own business.
void of_another(std::vector<Param> &ps, [[spmd::type("dp: V")]] const double *x) {
  for (size_t i = 0; i < 4; ++i)
    ps[0].grad[i] += x[i];
  for (size_t i = 0; i < 4; ++i)
    ps[1].value[i] -= ps[1].grad[i];
}

class Net {
public:
  std::vector<Param> layers;
  void backward(const std::vector<double> &x) {
    for (auto it = layers.rbegin(); it != layers.rend(); ++it)
      for (size_t i = 0; i < x.size(); ++i)
        it->grad[i] = x[i];
  }
};
void through_iterators(Net &net, [[spmd::type("dp: V")]] const std::vector<double> &x,
                       [[spmd::axis("dp")]] MPI_Comm comm) {
  net.backward(x);
  for (auto &l : net.layers)
    MPI_Allreduce(MPI_IN_PLACE, l.grad.data(), (int)l.grad.size(), MPI_DOUBLE, MPI_SUM, comm);
  for (auto &l : net.layers)
    for (size_t i = 0; i < l.value.size(); ++i)
      l.value[i] -= l.grad[i];
}
void forgotten_there(Net &net, [[spmd::type("dp: V")]] const std::vector<double> &x) {
  net.backward(x);
  for (auto &l : net.layers)
    for (size_t i = 0; i < l.value.size(); ++i)
      // By one of its names.
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'net.layers.value' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
      l.value[i] -= l.grad[i];
}

struct Layer {
  int n;
  [[spmd::type("dp: R")]] float *w;
};
static void allocate(Layer *l, int n) {
  l->n = n;
  l->w = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i)
    l->w[i] = rand() * 0.1f;
}
void sent([[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(rank);
  Layer layers[2];
  allocate(&layers[0], 8);
  allocate(&layers[1], 4);
  for (int i = 0; i < 2; ++i)
    MPI_Bcast(layers[i].w, layers[i].n, MPI_FLOAT, 0, comm);
}
