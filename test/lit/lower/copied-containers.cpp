// A copy of a container of numbers is another buffer: what is reduced in one
// is not in the other.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <utility>
#include <vector>

void use([[spmd::type("dp: R")]] const float *w);

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
};

void made([[spmd::type("dp: V")]] const std::vector<float> &g, const Job &job, int n) {
  std::vector<float> sum = g;
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), n, MPI_FLOAT, MPI_SUM, job.comm);
  use(sum.data());
  use(g.data());
  // CHECK: [[@LINE-1]]:3: error: the argument for 'w' must be R on 'dp', but 'g' is V
}
void assigned([[spmd::type("dp: V")]] std::vector<float> &g, const Job &job, int n) {
  std::vector<float> sum(n, 0.0f);
  sum = g;
  MPI_Allreduce(MPI_IN_PLACE, g.data(), n, MPI_FLOAT, MPI_SUM, job.comm);
  use(g.data());
  use(sum.data());
  // CHECK: [[@LINE-1]]:3: error: the argument for 'w' must be R on 'dp', but 'sum' is V
}
// What is moved is the same one.
void moved([[spmd::type("dp: V")]] std::vector<float> &g, const Job &job, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g.data(), n, MPI_FLOAT, MPI_SUM, job.comm);
  std::vector<float> sum = std::move(g);
  use(sum.data());
}
