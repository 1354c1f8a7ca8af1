// One GPU per process, as programs set it up: what fails ends the program, and
// is no way on which the ranks agree.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t e = call;                                                      \
    if (e != cudaSuccess) {                                                    \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));        \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)
#define NCCL_CHECK(call)                                                       \
  do {                                                                         \
    ncclResult_t r = call;                                                     \
    if (r != ncclSuccess) {                                                    \
      printf("%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(r));        \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  ncclUniqueId id;
  if (rank == 0)
    NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);

  float *x;
  ncclComm_t comm;
  cudaStream_t stream;
  CUDA_CHECK(cudaSetDevice(rank % 8));
  CUDA_CHECK(cudaMalloc(&x, 1024 * sizeof(float)));
  CUDA_CHECK(cudaStreamCreate(&stream));
  NCCL_CHECK(ncclCommInitRank(&comm, ranks, id, rank));
  if (rank == 0 && !fopen(argv[1], "r"))
    exit(EXIT_FAILURE);

  NCCL_CHECK(ncclAllReduce(x, x, 1024, ncclFloat, ncclSum, comm, stream));
  if (rank != 0)
    // CHECK: nccl.cpp:[[#@LINE+1]]:5: error: not all ranks get to this 'ncclAllReduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Finalize, line [[#@LINE+5]]; rank 1 waits in ncclAllReduce, line [[#@LINE+1]] [spmd-divergent-collective]
    NCCL_CHECK(ncclAllReduce(x, x, 1024, ncclFloat, ncclSum, comm, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaFree(x));
  NCCL_CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return 0;
}
