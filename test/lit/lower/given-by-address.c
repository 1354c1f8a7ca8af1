// What a library changes of the arguments before anybody asks for them decides
// as any number that is kept.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void sgd([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: R")]] const float *g,
         int n);
void backward([[spmd::type("-> dp: V")]] float *g);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("dp")]] MPI_Comm dp;
  MPI_Comm_dup(MPI_COMM_WORLD, &dp);
  float w[4], g[4];
  for (int step = 0; step < 10; step++) {
    backward(g);
    if (argc == 3)
      MPI_Allreduce(MPI_IN_PLACE, g, 4, MPI_FLOAT, MPI_SUM, dp);
    // CHECK: [[#@LINE+2]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is V
    // CHECK: note: on the way where 'argc' is not 3
    sgd(w, g, 4);
  }
}
void parse(int *count, char **argv);
// Changed between two questions, it is not one fact.
void between(int count, char **argv, [[spmd::axis("dp")]] MPI_Comm dp) {
  float w[4], g[4];
  backward(g);
  if (count == 3)
    MPI_Allreduce(MPI_IN_PLACE, g, 4, MPI_FLOAT, MPI_SUM, dp);
  parse(&count, argv);
  if (count == 3)
    sgd(w, g, 4);
}
