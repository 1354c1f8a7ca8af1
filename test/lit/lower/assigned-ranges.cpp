// What the algorithms of the library copy, fill and sum is what that was.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <algorithm>
#include <mpi.h>
#include <numeric>
#include <vector>

struct Gaussian {
  std::vector<double> mean;
};
void run([[spmd::type("dp: R")]] std::vector<Gaussian> &comps, [[spmd::axis("dp")]] MPI_Comm comm);

//===--- Right ------------------------------------------------------------===//

void same([[spmd::type("dp: R")]] const std::vector<double> &all, int k, int dim, [[spmd::axis("dp")]] MPI_Comm comm) {
  std::vector<Gaussian> comps(k);
  for (int c = 0; c < k; ++c)
    comps[c].mean.assign(all.begin() + c * dim, all.begin() + (c + 1) * dim);
  run(comps, comm);
}

void cleared([[spmd::type("dp: P")]] std::vector<double> &sums, [[spmd::axis("dp")]] MPI_Comm comm) {
  std::vector<double> next;
  next.assign(sums.begin(), sums.end());
  MPI_Allreduce(MPI_IN_PLACE, next.data(), next.size(), MPI_DOUBLE, MPI_SUM, comm);
  [[spmd::type("dp: R")]] double total = std::accumulate(next.begin(), next.end(), 0.0);
  (void)total;
}

//===--- What is found ----------------------------------------------------===//

void init([[spmd::type("dp: V")]] const std::vector<double> &local, int k, int dim, [[spmd::axis("dp")]] MPI_Comm comm) {
  std::vector<double> mu(k * dim);
  for (int i = 0; i < k * dim; ++i)
    mu[i] = local[i];
  std::vector<Gaussian> comps(k);
  for (int c = 0; c < k; ++c)
    comps[c].mean.assign(mu.begin() + c * dim, mu.begin() + (c + 1) * dim);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'comps' must be R on 'dp', but 'comps' is V{{.*}} [spmd-contract]
  run(comps, comm);
}

void copied([[spmd::type("dp: V")]] const std::vector<double> &local, [[spmd::type("dp: R")]] std::vector<double> &all) {
  // CHECK: [[#@LINE-1]]:84: error: parameter 'all' on exit must be R on 'dp', but 'all' is V{{.*}} [spmd-contract]
  all.assign(local.data(), local.data() + local.size());
}

void summed([[spmd::type("dp: V")]] const std::vector<double> &local) {
  std::vector<double> mine;
  mine.assign(local.begin(), local.end());
  // CHECK: [[#@LINE+1]]:42: error: the value of 'total' must be R on 'dp', but this value is V{{.*}} [spmd-contract]
  [[spmd::type("dp: R")]] double total = std::accumulate(mine.begin(), mine.end(), 0.0);
  (void)total;
}
