// What an op draws from an engine that it is given: each rank its own, where each has seeded it by its number.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <random>
#include <vector>

[[spmd::op("nonlinear")]] int sample(const float *logits, int n, std::mt19937 &engine);
[[spmd::op("nonlinear")]] int best(const float *logits, int n, const std::mt19937 &unused);

struct Request {
  [[spmd::type("tp: R")]] int token = 0;
};

static void step(Request &r, [[spmd::type("tp: R")]] const float *logits, int n, std::mt19937 &engine) {
  // CHECK: :[[#@LINE+1]]:3: error: the value stored in 'r.token' must be R on 'tp', but 'sample(logits, n, engine)' is V
  r.token = sample(logits, n, engine);
  r.token = best(logits, n, engine);
}

/// Nobody knows how it was seeded: on all ranks alike, as far as is said.
void unknown(Request &r, [[spmd::type("tp: R")]] const float *logits, int n, std::mt19937 &engine) {
  [[spmd::type("tp: R")]] std::vector<int> next(n, 0);
  for (int i = 0; i < n; i++)
    next[i] = sample(logits, n, engine);
  r.token = next[0];
}

/// One rank draws for all.
void one(Request &r, [[spmd::type("tp: R")]] const float *logits, int n, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank, token = 0;
  MPI_Comm_rank(comm, &rank);
  std::mt19937 engine(rank);
  if (rank == 0)
    token = sample(logits, n, engine);
  MPI_Bcast(&token, 1, MPI_INT, 0, comm);
  r.token = token;
}

void run(Request &r, [[spmd::type("tp: R")]] const float *logits, int n, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
#ifdef WRONG
  std::mt19937 engine(rank);
#else
  std::mt19937 engine(42);
#endif
  step(r, logits, n, engine);
}
