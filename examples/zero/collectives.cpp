#include "collectives.h"

namespace zero {

void all_reduce(float *x, std::size_t count, ncclComm_t axis,
                cudaStream_t stream) {
  NCCLCHECK(ncclAllReduce(x, x, count, ncclFloat, ncclSum, axis, stream));
}

void reduce_scatter(float *part, const float *x, std::size_t count,
                    ncclComm_t axis, cudaStream_t stream) {
  NCCLCHECK(
      ncclReduceScatter(x, part, count, ncclFloat, ncclSum, axis, stream));
}

void all_gather(float *x, const float *part, std::size_t count, ncclComm_t axis,
                cudaStream_t stream) {
  NCCLCHECK(ncclAllGather(part, x, count, ncclFloat, axis, stream));
}

double sum_over(double value, ncclComm_t axis, const Parallel &parallel) {
  double *sum = parallel.scalar;
  CUDACHECK(cudaMemcpyAsync(sum, &value, sizeof value, cudaMemcpyHostToDevice,
                            parallel.stream));
  NCCLCHECK(
      ncclAllReduce(sum, sum, 1, ncclDouble, ncclSum, axis, parallel.stream));
  double result = 0;
  CUDACHECK(cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost,
                            parallel.stream));
  CUDACHECK(cudaStreamSynchronize(parallel.stream));
  return result;
}

} // namespace zero
