// A pointer to a place in a buffer changes nothing of the buffer, though one rank
// alone has it.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DWRITES 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

struct State {
  [[spmd::type("tp: R")]] float *x;
  [[spmd::type("tp: R")]] float *logits;
};
[[spmd::op("nonlinear")]] int sample(const float *logits, int size);

static void generate(State &s, [[spmd::axis("tp")]] MPI_Comm comm, int n, int vocabulary) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  [[spmd::type("tp: R")]] std::vector<int> next(n, 0);
  // CHECK: [[#@LINE+1]]:7: error: from here on 's.logits' is V on 'tp', and nothing makes it R again before its object ends
  if (rank == 0)
    for (int i = 0; i < n; ++i) {
      float *logits = s.logits + (std::size_t)i * vocabulary;
      next[i] = sample(logits, vocabulary);
#ifdef WRITES
      logits[0] = next[i];
#endif
    }
  MPI_Bcast(next.data(), n, MPI_INT, 0, comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  State s;
  s.x = new float[64];
  s.logits = new float[64];
  for (int i = 0; i < 64; ++i)
    s.logits[i] = s.x[i] = i;
  generate(s, MPI_COMM_WORLD, 8, 8);
  MPI_Finalize();
}
