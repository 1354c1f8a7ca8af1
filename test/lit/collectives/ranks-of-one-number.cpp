// All ranks that make a communicator say that they are the same one.
// RUN: not %spmd-tidy --quiet %s -- -DRANK=0 %stubs %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DRANK=rank %stubs %runtime-include 2>&1 | count 0
#include <nccl.h>
void make(ncclComm_t *comm, ncclUniqueId id, [[spmd::size("ep")]] int world, [[spmd::type("ep: V")]] int rank) {
  // CHECK: [[#@LINE+1]]:3: error: this 'ncclCommInitRank' is told by several ranks that each is rank 0: every rank has a number of its own [spmd-collective-argument]
  ncclCommInitRank(comm, world, id, RANK);
}
// One process has several devices.
void devices(ncclComm_t *comms, ncclUniqueId id, int n) {
  ncclGroupStart();
  for (int i = 0; i < n; ++i)
    ncclCommInitRank(&comms[i], n, id, i);
  ncclGroupEnd();
}
void alone(ncclComm_t *comm, ncclUniqueId id) { ncclCommInitRank(comm, 1, id, 0); }
// The first one by its number.
void by_ways(ncclComm_t *comm, ncclUniqueId id, [[spmd::size("ep")]] int world, [[spmd::type("ep: V")]] int rank) {
  if (rank == 0)
    ncclCommInitRank(comm, world, id, 0);
  else
    ncclCommInitRank(comm, world, id, rank);
}
