#include "parallel.h"

namespace zero {

ncclUniqueId make_id() {
  ncclUniqueId id = {};
  NCCLCHECK(ncclGetUniqueId(&id));
  return id;
}

ncclUniqueId meet(const World &world) {
  ncclUniqueId id = {};
  if (world.rank == 0)
    id = make_id();
  broadcast_bytes(&id, sizeof id, world);
  return id;
}

Parallel connect(const World &world, const ncclUniqueId &id) {
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
