// MPI on raw buffers: in place or not, rooted or not.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

[[spmd::type("dp: R")]] double meanLoss([[spmd::type("dp: V")]] double local, [[spmd::axis("dp")]] MPI_Comm comm) {
  double global;
  int n;
  MPI_Comm_size(comm, &n);
  MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, comm);
  return global / n;
}
[[spmd::type("dp: R")]] double wrongLoss([[spmd::type("dp: V")]] double local, [[spmd::axis("dp")]] MPI_Comm comm) {
  double global;
  MPI_Reduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  return global;
  // CHECK: [[@LINE-1]]:3: error: the value returned from 'wrongLoss' must be R on 'dp', but 'global' is V: the ranks hold different values, which are taken for one [spmd-contract]
}
void rs([[spmd::type("dp: P")]] float *g, [[spmd::type("dp: V")]] float *mine, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Reduce_scatter_block(g, mine, n, MPI_FLOAT, MPI_SUM, comm);
}
void ag([[spmd::type("dp: V -> dp: R")]] float *all, [[spmd::type("dp: V")]] float *mine, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Allgather(mine, n, MPI_FLOAT, all, n, MPI_FLOAT, comm);
}
void agWrong([[spmd::type("dp: V -> dp: R")]] float *all, [[spmd::type("dp: R")]] float *mine, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Allgather(mine, n, MPI_FLOAT, all, n, MPI_FLOAT, comm);
  // CHECK: [[@LINE-1]]:3: error: all_gather on 'dp' takes V, but 'mine' is R: every rank already has the whole, and gathers copies of it [spmd-src-type]
}
void a2a([[spmd::type("dp: V")]] float *out, [[spmd::type("dp: V")]] float *in, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Alltoall(in, n, MPI_FLOAT, out, n, MPI_FLOAT, comm);
}
void bc([[spmd::type("dp: V -> dp: R")]] float *p, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Bcast(p, n, MPI_FLOAT, 0, comm);
}
void wrongAxis([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("tp")]] MPI_Comm comm) {
  // CHECK: [[@LINE-1]]:29: error: parameter 'g' on exit must be R on 'dp', but 'g' is P: nothing has added up the ranks' parts [spmd-contract]
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
void maxOfPartial([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_MAX, comm);
  // CHECK: [[@LINE-1]]:3: error: 'g' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
}
