// What a constructor fills on one rank alone, and nobody sends round, is that
// rank's.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

struct Net {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<double> w;

  explicit Net(MPI_Comm c) : comm(c), w(10) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    // CHECK: [[@LINE+1]]:9: error: from here on 'n.w' is V on 'dp', and nothing makes it R again before its object ends
    if (rank == 0)
      for (auto &v : w)
        v = 0.5;
  }
};
void forgotten(MPI_Comm c) { Net n(c); }

struct Sent {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<double> w;

  explicit Sent(MPI_Comm c) : comm(c), w(10) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
      for (auto &v : w)
        v = 0.5;
    MPI_Bcast(w.data(), 10, MPI_DOUBLE, 0, comm);
  }
};
void sent(MPI_Comm c) { Sent n(c); }

struct Later {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<double> w;

  explicit Later(MPI_Comm c) : comm(c), w(10) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
      for (auto &v : w)
        v = 0.5;
  }
  void share() { MPI_Bcast(w.data(), 10, MPI_DOUBLE, 0, comm); }
};
void later(MPI_Comm c) {
  Later n(c);
  n.share();
}
