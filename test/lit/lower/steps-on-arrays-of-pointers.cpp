// A step by one rank, on layers behind an array of pointers: one finding, by the
// name of the array.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <cstdlib>
struct Layer {
  [[spmd::type("dp: R")]] float *params;
  [[spmd::type("dp: V")]] float *grads, *sums;
  int n = 10;
  Layer() { params = (float *)malloc(40); for (int i = 0; i < n; i++) params[i] = i; }
  void forward(const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[i] * params[i]; }
};
static void sgd([[spmd::type("dp: R")]] const float *s, [[spmd::type("dp: R")]] float *w, int n) {
  for (int i = 0; i < n; i++) w[i] -= s[i];
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("dp")]] MPI_Comm comm = MPI_COMM_WORLD;
  int rank;
  MPI_Comm_rank(comm, &rank);
  [[spmd::type("dp: V")]] float x[10], y[10];
  Layer **net = (Layer **)malloc(2 * sizeof(Layer *));
  net[0] = new Layer;
  net[1] = new Layer;
  for (int s = 0; s < 10; s++) {
    for (int i = 0; i < 2; i++) net[i]->forward(x, y);
    for (int i = 0; i < 2; i++)
      MPI_Allreduce(net[i]->grads, net[i]->sums, net[i]->n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < 2; i++)
      // CHECK: :[[#@LINE+1]]:11: error: from here on 'net.params' is V on 'dp', and nothing makes it R again before its object ends
      if (rank == 0) sgd(net[i]->sums, net[i]->params, net[i]->n);
  }
  MPI_Finalize();
}
