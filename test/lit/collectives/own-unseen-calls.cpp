// Functions of other files that one rank alone calls: what they do is no answer
// to the collective in which that rank waits.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <vector>

struct Model;
void *compute(Model &m, const std::vector<int> &in);
int sample(void *logits);
void save(void *logits);
void worker(), load(), sum_of_root();

void generate(Model &m, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> tokens(4, 0);
  for (int step = 0; step < steps; step++) {
    void *logits = compute(m, tokens);
    int next = 0;
    if (rank == 0)
      next = sample(logits);
#ifdef WRONG
    // CHECK: :[[#@LINE+2]]:7: error: {{.*}}MPI_Bcast
    if (rank == 0)
      MPI_Bcast(&next, 1, MPI_INT, 0, MPI_COMM_WORLD);
#else
    MPI_Bcast(&next, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
    tokens[step % 4] = next;
  }
}
// The other ranks' half may be there.
void by_roles(int *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    load();
    MPI_Bcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    worker();
  }
}
// The root's half of the sum may be there.
void by_halves(int *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    sum_of_root();
    MPI_Bcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}
