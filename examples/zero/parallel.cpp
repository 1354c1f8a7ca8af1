#include "parallel.h"

#include "rendezvous.h"

namespace zero {

Parallel connect() {
  const World world = world_from_environment();
  Parallel parallel;
  parallel.rank = world.rank;
  parallel.size = world.size;

  int devices = 0;
  CUDACHECK(cudaGetDeviceCount(&devices));
  CUDACHECK(cudaSetDevice(world.local_rank % devices));
  CUDACHECK(cudaStreamCreate(&parallel.stream));
  CUBLASCHECK(cublasCreate(&parallel.blas));
  CUBLASCHECK(cublasSetStream(parallel.blas, parallel.stream));
  CUDACHECK(cudaMalloc(&parallel.scalar, sizeof(double)));

  ncclUniqueId id = {};
  if (world.rank == 0)
    NCCLCHECK(ncclGetUniqueId(&id));
  broadcast_bytes(&id, sizeof id, world);
  NCCLCHECK(ncclCommInitRank(&parallel.dp, world.size, id, world.rank));
  return parallel;
}

void disconnect(Parallel &parallel) {
  CUDACHECK(cudaStreamSynchronize(parallel.stream));
  NCCLCHECK(ncclCommDestroy(parallel.dp));
  CUDACHECK(cudaFree(parallel.scalar));
  CUBLASCHECK(cublasDestroy(parallel.blas));
  CUDACHECK(cudaStreamDestroy(parallel.stream));
}

} // namespace zero
