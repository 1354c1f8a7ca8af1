// Ranks that send a root what they have and get back what it makes of that hold
// the same afterwards: what a message brings is unknown where there was
// something before, but as declared in a buffer that is only received into.
// RUN: split-file %s %t
// RUN: %spmd-tidy %t/right.cpp -- -DRIGHT %stubs
// RUN: %spmd-tidy %t/right.cpp -- -DRIGHT -DCALLED %stubs
// RUN: not %spmd-tidy %t/right.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %t/right.cpp --implicit-check-not=error:
// RUN: not %spmd-tidy %t/received.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %t/received.cpp --implicit-check-not=error:

//--- .spmd-tidy
Axes: {MPI_COMM_WORLD: dp}
//--- right.cpp
#include <mpi.h>
#include <vector>

void load(float *x, int n);

void average(float *g, float *t, int n, int rank, int size) {
  if (rank == 0) {
    for (int r = 1; r < size; ++r) {
      MPI_Recv(t, n, MPI_FLOAT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; ++i)
        g[i] += t[i];
    }
    for (int r = 1; r < size; ++r)
      MPI_Send(g, n, MPI_FLOAT, r, 1, MPI_COMM_WORLD);
  } else {
    MPI_Send(g, n, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(g, n, MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, n = 100;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  [[spmd::type("dp: R")]] std::vector<float> w(n);
  [[spmd::type("dp: V")]] std::vector<float> g(n), x(n);
  std::vector<float> t(n);
  load(x.data(), n);
  for (int s = 0; s < 10; ++s) {
    for (int i = 0; i < n; ++i)
      g[i] = x[i] * w[i];
#if defined(CALLED)
    average(g.data(), t.data(), n, rank, size);
#elif defined(RIGHT)
    if (rank == 0) {
      for (int r = 1; r < size; ++r) {
        MPI_Recv(t.data(), n, MPI_FLOAT, r, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i)
          g[i] += t[i];
      }
      for (int r = 1; r < size; ++r)
        MPI_Send(g.data(), n, MPI_FLOAT, r, 1, MPI_COMM_WORLD);
    } else {
      MPI_Send(g.data(), n, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(g.data(), n, MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#endif
    for (int i = 0; i < n; ++i)
      g[i] /= size;
    for (int i = 0; i < n; ++i)
      // CHECK: :[[#@LINE+1]]:7: error: from here on 'w' is V on 'dp', {{.*}} [spmd-contract]
      w[i] -= 0.1f * g[i];
  }
  MPI_Finalize();
}
//--- received.cpp
#include <mpi.h>
#include <vector>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, n = 100;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  [[spmd::type("dp: R")]] std::vector<float> w(n);
  [[spmd::type("dp: V")]] std::vector<float> left(n), x(n);
  for (int s = 0; s < 10; ++s) {
    if (rank > 0)
      MPI_Recv(left.data(), n, MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    if (rank + 1 < size)
      MPI_Send(x.data(), n, MPI_FLOAT, rank + 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
      // CHECK: :[[#@LINE+1]]:7: error: from here on 'w' is V on 'dp', {{.*}} [spmd-contract]
      w[i] -= 0.1f * left[i];
  }
  MPI_Finalize();
}
