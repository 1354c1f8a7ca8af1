// Which ranks a communicator is of: the world's are those of the mesh, a split
// one's nobody knows, a copy's are those of the first.
// RUN: split-file %s %t
// RUN: not %spmd-tidy %t/mesh/mpi.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %t/mesh/mpi.cpp --implicit-check-not=error:
// RUN: %if mpi %{ not %spmd-tidy %t/mesh/mpi.cpp -- -isystem %mpi-include -std=c++20 2>&1 \
// RUN:   | FileCheck %t/mesh/mpi.cpp --implicit-check-not=error: %}
// RUN: not %spmd-tidy %t/axes/world.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %t/axes/world.cpp --implicit-check-not=error:
// RUN: %if mpi %{ not %spmd-tidy %t/axes/world.cpp -- -isystem %mpi-include -std=c++20 2>&1 \
// RUN:   | FileCheck %t/axes/world.cpp --implicit-check-not=error: %}
// RUN: not %spmd-tidy %t/nccl.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %t/nccl.cpp --implicit-check-not=error:
// RUN: %if nccl %{ not %spmd-tidy %t/nccl.cpp -- -isystem %nccl-include -std=c++20 2>&1 \
// RUN:   | FileCheck %t/nccl.cpp --implicit-check-not=error: %}

//--- mesh/.spmd-tidy
Mesh: {dp: 4, tp: 2}
//--- mesh/mpi.cpp
#include <mpi.h>

void world([[spmd::type("dp: P, tp: P -> dp: R, tp: R")]] float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
void worldOfReplicas([[spmd::type("dp: P, tp: R -> dp: R, tp: R")]] float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  // CHECK: mpi.cpp:[[@LINE-1]]:3: error: all_reduce on 'tp' takes V or P, but 'g' is R: summing equal values multiplies them by the axis size [spmd-src-type]
}
void named([[spmd::type("dp: P, tp: P -> dp: R, tp: R")]] float *g, int n) {
  MPI_Comm all = MPI_COMM_WORLD;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, all);
}
void missing([[spmd::type("dp: P, tp: P -> dp: R, tp: R")]] float *g, [[spmd::type("dp: P, tp: P -> dp: R, tp: R")]] float *h, int n) {
  // CHECK: mpi.cpp:[[@LINE-1]]:{{[0-9]+}}: error: parameter 'h' on exit must be R on 'dp'
  // CHECK: mpi.cpp:[[@LINE-2]]:{{[0-9]+}}: error: parameter 'h' on exit must be R on 'tp'
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void sumOver(float *g, int n, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
void handedOn([[spmd::type("dp: P, tp: P -> dp: R, tp: R")]] float *g, int n) {
  sumOver(g, n, MPI_COMM_WORLD);
}
void aloneInCallee([[spmd::type("dp: P, tp: R -> dp: R, tp: R")]] float *g, int n) {
  // CHECK: mpi.cpp:[[@LINE-1]]:{{[0-9]+}}: error: parameter 'g' on exit must be R on 'dp', but 'g' is P
  sumOver(g, n, MPI_COMM_SELF);
}
void alone([[spmd::type("dp: P, tp: I")]] float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_SELF);
}
void copied([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  MPI_Comm mine;
  MPI_Comm_dup(dp, &mine);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, mine);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, mine);
  // CHECK: mpi.cpp:[[@LINE-1]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I{{.*}} [spmd-src-type]
  MPI_Comm_free(&mine);
}
void split([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: P")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  MPI_Comm part = dp;
  MPI_Comm_split(dp, rank % 2, rank, &part);
  MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, part);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, part);
}
void saidOf([[spmd::type("tp: P -> tp: R")]] float *g, int n, int rank) {
  [[spmd::axis("tp")]] MPI_Comm tp;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &tp);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, tp);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, tp);
  // CHECK: mpi.cpp:[[@LINE-1]]:3: error: all_reduce on 'tp' takes V or P, but 'g' is R or I{{.*}} [spmd-src-type]
}
void remake(MPI_Comm *comm, int colour);
void remade([[spmd::type("dp: R")]] float *w, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  MPI_Comm part = dp;
  remake(&part, 1);
  MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, part);
}

//--- axes/.spmd-tidy
Axes: {MPI_COMM_WORLD: dp}
//--- axes/world.cpp
#include <mpi.h>

void reduced([[spmd::type("dp: P, tp: R -> dp: R, tp: R")]] float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
#define EVERYBODY MPI_COMM_WORLD
void twice([[spmd::type("dp: P -> dp: R")]] float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, EVERYBODY);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  // CHECK: world.cpp:[[@LINE-1]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I{{.*}} [spmd-src-type]
}

//--- nccl.cpp
#include <nccl.h>

#define DP [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s
void barrier([[spmd::type("dp: R")]] float *x, DP) {
  ncclAllGather(x, x, 0, ncclFloat, dp, s);
  ncclAllReduce(x, x, 0, ncclFloat, ncclSum, dp, s);
}
void split([[spmd::type("dp: R")]] float *w, size_t n, int rank, DP) {
  ncclComm_t part = dp;
  ncclCommSplit(dp, rank % 2, rank, &part, nullptr);
  ncclAllReduce(w, w, n, ncclFloat, ncclSum, part, s);
}
void scattered([[spmd::type("dp: R")]] float *all, [[spmd::type("dp: R")]] float *mine, size_t n, DP) {
  ncclScatter(all, mine, n, ncclFloat, 0, dp, s);
  // CHECK: nccl.cpp:[[@LINE-1]]:{{[0-9]+}}: error: parameter 'mine' on exit must be R on 'dp', but 'mine' is V{{.*}} [spmd-contract]
}
void exchanged([[spmd::type("dp: V")]] float *in, [[spmd::type("dp: R")]] float *out, size_t n, DP) {
  ncclAlltoAll(in, out, n, ncclFloat, dp, s);
  // CHECK: nccl.cpp:[[@LINE-1]]:{{[0-9]+}}: error: parameter 'out' on exit must be R on 'dp', but 'out' is V{{.*}} [spmd-contract]
}
void received([[spmd::type("dp: R")]] float *x, size_t n, DP) {
  ncclRecv(x, n, ncclFloat, 0, dp, s);
}
