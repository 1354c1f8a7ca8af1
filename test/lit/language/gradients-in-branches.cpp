// A gradient that only some ranks change differs between them behind the
// branch, also where the tensor itself changes in the loop around it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

#include <vector>

[[spmd::axis("dp")]] extern MPI_Comm comm;

static void reduce(at::Tensor g) {
  MPI_Allreduce(MPI_IN_PLACE, g.data_ptr(), (int)g.numel(), MPI_FLOAT, MPI_SUM,
                comm);
}

void once([[spmd::type("dp: R")]] at::Tensor p,
          [[spmd::type("dp: V")]] at::Tensor x, int rank) {
  MPI_Comm_rank(comm, &rank);
  (x * p).sum().backward();
  reduce(p.grad());
  if (rank == 0)
    p.grad().mul_(2);
  // CHECK: [[#@LINE+1]]:3: error: parameter 'p' on exit must be R on 'dp', but 'p' is V
  p.sub_(p.grad());
}
void steps([[spmd::type("dp: R")]] at::Tensor p,
           [[spmd::type("dp: V")]] at::Tensor x, int rank) {
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < 9; ++i) {
    (x * p).sum().backward();
    reduce(p.grad());
    if (rank == 0)
      p.grad().mul_(2);
    // CHECK: [[#@LINE+1]]:5: error: parameter 'p' on exit must be R on 'dp', but 'p' is V
    p.sub_(p.grad());
  }
}
void list([[spmd::type("dp: R")]] std::vector<at::Tensor> ps,
          [[spmd::type("dp: V")]] at::Tensor x, int rank) {
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < 9; ++i) {
    (x * ps[0]).sum().backward();
    for (at::Tensor &p : ps) {
      reduce(p.grad());
      if (rank == 0)
        p.grad().mul_(2);
      // CHECK: [[#@LINE+1]]:7: error: parameter 'ps' on exit must be R on 'dp', but 'ps' is V
      p.sub_(p.grad());
    }
  }
}

// On all ranks, or only looked at, it stays what it is.
void right([[spmd::type("dp: R")]] at::Tensor p,
           [[spmd::type("dp: V")]] at::Tensor x, int rank, bool halve) {
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < 9; ++i) {
    (x * p).sum().backward();
    reduce(p.grad());
    if (halve)
      p.grad().mul_(0.5);
    if (rank == 0)
      printf("%f\n", p.grad().norm().item<float>());
    p.sub_(p.grad());
  }
}
