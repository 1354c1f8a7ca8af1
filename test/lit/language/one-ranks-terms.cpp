// A broadcast of what each rank has computed of its own data: the update by it
// is that of one rank's data, however the buffer began.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <vector>
#define T(Type) [[spmd::type("dp: " Type)]]
#define COMM [[spmd::axis("dp")]] MPI_Comm comm

static void gradient(const std::vector<double> &x, const std::vector<double> &w, std::vector<double> &g) {
  for (unsigned i = 0; i < w.size(); ++i) {
    double sum = 0;
    for (unsigned m = 0; m < 4; ++m)
      sum += x[m * w.size() + i] * w[i];
    g[i] = 2.0 * sum;
  }
}

//===--- Right --------------------------------------------------------------//

void sums(T("V") const std::vector<double> &x, T("R") std::vector<double> &w, COMM) {
  std::vector<double> own(w.size(), 0.0), all(w.size(), 0.0);
  gradient(x, w, own);
  MPI_Allreduce(own.data(), all.data(), w.size(), MPI_DOUBLE, MPI_SUM, comm);
  for (unsigned i = 0; i < w.size(); ++i)
    w[i] -= 0.1 * all[i];
}

void sumsAndSendsRound(T("V") const std::vector<double> &x, T("R") std::vector<double> &w, COMM) {
  std::vector<double> own(w.size(), 0.0), all(w.size(), 0.0);
  gradient(x, w, own);
  MPI_Reduce(own.data(), all.data(), w.size(), MPI_DOUBLE, MPI_SUM, 0, comm);
  MPI_Bcast(all.data(), w.size(), MPI_DOUBLE, 0, comm);
  for (unsigned i = 0; i < w.size(); ++i)
    w[i] -= 0.1 * all[i];
}

// The root alone has computed it, of all data.
void rootComputes(T("V") const std::vector<double> &x, T("R") std::vector<double> &w, COMM) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> g(w.size(), 0.0);
  if (rank == 0)
    gradient(x, w, g);
  MPI_Bcast(g.data(), w.size(), MPI_DOUBLE, 0, comm);
  for (unsigned i = 0; i < w.size(); ++i)
    w[i] -= 0.1 * g[i];
}

// First values, which decay.
void decays(T("V") const std::vector<double> &x, int n, COMM) {
  T("R") std::vector<double> w(n, 0.0);
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  MPI_Bcast(w.data(), n, MPI_DOUBLE, 0, comm);
  for (int i = 0; i < n; ++i)
    w[i] -= 0.001 * w[i];
}

//===--- Wrong --------------------------------------------------------------//

void sendsRound(T("V") const std::vector<double> &x, T("R") std::vector<double> &w, COMM) {
  std::vector<double> g(w.size(), 0.0);
  gradient(x, w, g);
  MPI_Bcast(g.data(), w.size(), MPI_DOUBLE, 0, comm);
  for (unsigned i = 0; i < w.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: '0.1 * g[i]' is made of what one rank of 'dp' has computed of its own data and sent round, and updates what all ranks hold alike: an update is made of the sum of the ranks' gradients [spmd-partial-nonlinear]
    w[i] -= 0.1 * g[i];
}

void sendsACopyRound(T("V") const std::vector<double> &x, T("R") std::vector<double> &w, COMM) {
  std::vector<double> own(w.size(), 0.0), all(w.size(), 0.0);
  gradient(x, w, own);
  all = own;
  MPI_Bcast(all.data(), w.size(), MPI_DOUBLE, 0, comm);
  for (unsigned i = 0; i < w.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: '0.1 * all[i]' is made of what one rank of 'dp' has computed {{.*}} [spmd-partial-nonlinear]
    w[i] -= 0.1 * all[i];
}
