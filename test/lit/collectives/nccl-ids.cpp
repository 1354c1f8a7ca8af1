// The ranks of a communicator share the id that one of them makes.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

ncclUniqueId from_store();

static void world(int &rank, int &size) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

ncclComm_t shared() {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  if (rank == 0)
    ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t made_by_all_and_shared() {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t elsewhere() {
  int rank, size;
  world(rank, size);
  ncclUniqueId id = from_store();
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t of_a_file(FILE *f) {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  if (rank == 0)
    ncclGetUniqueId(&id);
  else
    fread(&id, sizeof id, 1, f);
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t in_bytes(const char *from) {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  if (rank == 0)
    ncclGetUniqueId(&id);
  else
    for (unsigned i = 0; i < sizeof id; ++i)
      id.internal[i] = from[i];
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t never_shared() {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  if (rank == 0)
    ncclGetUniqueId(&id);
  ncclComm_t comm;
  // CHECK: [[#@LINE+1]]:3: error: the id of this 'ncclCommInitRank' is not the same on all ranks{{.*}}[spmd-varying-metadata]
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}

ncclComm_t each_its_own() {
  int rank, size;
  world(rank, size);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t comm;
  // CHECK: [[#@LINE+1]]:3: error: the id of this 'ncclCommInitRank' is not the same on all ranks{{.*}}[spmd-varying-metadata]
  ncclCommInitRank(&comm, size, id, rank);
  return comm;
}
