// What is said under --strict of ways is said of values that are gone by then.
// RUN: not %spmd-tidy --strict %s -- %stubs 2>&1 | FileCheck %s

#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;
[[spmd::type("dp: V")]] at::Tensor next();

at::Tensor train([[spmd::type("dp: I")]] at::Tensor w, bool some) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  at::Tensor g = next();
  if (some)
    g = w;
  if (rank == 0)
    g = g * 2;
  // CHECK: [[#@LINE-2]]:7: note: 'g' is V on 'dp': on one way it is I, and the ranks go different ways here
  return at::matmul(g, w);
}
