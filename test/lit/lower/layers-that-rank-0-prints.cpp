// What one rank alone reads by a name of its own, a reference, a pointer or the
// variable of a loop, stays what it is; so does what is stored in vectors that
// each rank has. A wrapper with a contract sums another element each time.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DWRITES 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cstdio>
#include <mpi.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] float w[8];
  float g[8];
  int n;
};
struct Net {
  Layer layers[3];
};

#ifdef WRITES
void change([[spmd::axis("dp")]] MPI_Comm comm, Net &net) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  // CHECK: [[#@LINE+1]]:7: error: from here on 'net.layers.w' is V on 'dp', and nothing makes it R again
  if (rank == 0) {
    Layer &l = net.layers[0];
    l.w[0] = 1;
  }
}
#else
void save([[spmd::axis("dp")]] MPI_Comm comm, Net &net) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    const Layer &first = net.layers[0];
    const Layer *second = &net.layers[1];
    std::printf("%f %f\n", first.w[0], second->w[0]);
    for (auto &l : net.layers)
      std::printf("%f\n", l.w[0]);
  }
}
void saveOrReturn([[spmd::axis("dp")]] MPI_Comm comm, Net &net) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank)
    return;
  for (const Layer &l : net.layers)
    std::printf("%f\n", l.w[0]);
}

static void sum([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V -> dp: R")]] float *p,
                int n) {
  MPI_Allreduce(MPI_IN_PLACE, p, n, MPI_FLOAT, MPI_SUM, comm);
}
void train([[spmd::axis("dp")]] MPI_Comm comm, std::vector<Layer> &layers,
           [[spmd::type("dp: V")]] const float *x) {
  for (auto &l : layers)
    for (int i = 0; i < l.n; i++)
      l.g[i] = l.w[i] * x[i];
  for (auto &l : layers)
    sum(comm, l.g, l.n);
  for (auto &l : layers)
    for (int i = 0; i < l.n; i++)
      l.w[i] -= 0.1f * l.g[i];
}

struct Local {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: V")]] std::vector<double> w;
  [[spmd::type("dp: R")]] std::vector<double> average;
};
void restart(Local &s) {
  MPI_Bcast(s.average.data(), (int)s.average.size(), MPI_DOUBLE, 0, s.comm);
  s.w = s.average;
}
#endif
