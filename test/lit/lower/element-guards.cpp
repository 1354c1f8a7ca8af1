// What is done to some of the layers alone, as a member or a method of each
// decides; one without numbers is left out for good reason.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: V")]] float *sum;
  int n;
  int param_size() const { return n; }
};
static void sgd([[spmd::type("dp: R")]] const float *sums, [[spmd::type("dp: R")]] float *w, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= sums[i];
}
#define GIVEN Layer **net, int layers, [[spmd::axis("dp")]] MPI_Comm comm
#define REDUCE(L) MPI_Allreduce(L->g, L->sum, L->n, MPI_FLOAT, MPI_SUM, comm)

void with_parameters(GIVEN) {
  for (int i = 0; i < layers; i++)
    if (net[i]->param_size() > 0)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
void by_member(GIVEN) {
  for (int i = 0; i < layers; i++)
    if (net[i]->n > 0)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
void small_ones_later(GIVEN) {
  for (int i = 0; i < layers; i++)
    if (net[i]->n > 5)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    if (net[i]->n <= 5)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
/// Arrays as long as there are layers leave their number as it is.
void later_half(GIVEN) {
  float *outputs[layers];
  (void)outputs;
  for (int i = 0; i < layers; i++)
    if (i > layers / 2)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    // CHECK: :[[#@LINE+1]]:5: error: the argument for 'sums' must be R on 'dp', but 'net[i]->sum' is V
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
/// The first one is left to the end.
void by_parity(GIVEN) {
  for (int i = 1; i < layers; i++)
    if (i % 2)
      REDUCE(net[i]);
  REDUCE(net[0]);
  for (int i = 0; i < layers; i++)
    // CHECK: :[[#@LINE+1]]:5: error: the argument for 'sums' must be R on 'dp', but 'net[i]->sum' is V
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
void even_and_odd(GIVEN) {
  for (int i = 0; i < layers; i++)
    if (i % 2 == 0)
      REDUCE(net[i]);
  for (int i = 1; i < layers; i++)
    if (i % 2 != 0)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
void large_ones(GIVEN) {
  for (int i = 0; i < layers; i++)
    if (net[i]->n > 5)
      REDUCE(net[i]);
  for (int i = 0; i < layers; i++)
    // CHECK: :[[#@LINE+1]]:5: error: the argument for 'sums' must be R on 'dp', but 'net[i]->sum' is V
    sgd(net[i]->sum, net[i]->w, net[i]->n);
}
