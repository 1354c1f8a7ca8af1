#include "parallel.h"

#include <spmd/bootstrap.h>
#include <spmd/nccl.h>

namespace zero {
namespace {

/// Over NCCL. Each rank has a backend of its own, as ranks may be threads.
spmd::Axis all_ranks(const spmd::Job &job, cudaStream_t stream) {
  const spmd::Axis ranks = job.mesh({{"dp", job.size()}}).axis("dp");
  return spmd::Axis("dp", spmd::nccl_backend(job, stream)->connect(ranks));
}

} // namespace

Parallel connect(const spmd::Job &job) {
  Parallel parallel;
  parallel.rank = job.rank();
  parallel.size = job.size();

  int devices = 0;
  CUDACHECK(cudaGetDeviceCount(&devices));
  CUDACHECK(cudaSetDevice(job.localRank() % devices));
  CUDACHECK(cudaStreamCreate(&parallel.stream));
  CUBLASCHECK(cublasCreate(&parallel.blas));
  CUBLASCHECK(cublasSetStream(parallel.blas, parallel.stream));
  CUDACHECK(cudaMalloc(&parallel.scalar, sizeof(double)));
  parallel.dp = all_ranks(job, parallel.stream);
  return parallel;
}

void disconnect(Parallel &parallel) {
  CUDACHECK(cudaStreamSynchronize(parallel.stream));
  parallel.dp = spmd::Axis();
  CUDACHECK(cudaFree(parallel.scalar));
  CUBLASCHECK(cublasDestroy(parallel.blas));
  CUDACHECK(cudaStreamDestroy(parallel.stream));
}

} // namespace zero
