#include "collectives.h"

namespace zero {

void all_reduce(float *x, std::int64_t count, const spmd::Axis &axis) {
  spmd::all_reduce(spmd::View(x, {count}), axis, spmd::P, spmd::R);
}

void reduce_scatter(float *part, float *x, std::int64_t count,
                    const spmd::Axis &axis) {
  spmd::reduce_scatter(spmd::View(x, {axis.size(), count}),
                       spmd::View(part, {count}), axis, spmd::P, spmd::V);
}

void all_gather(float *x, float *part, std::int64_t count,
                const spmd::Axis &axis) {
  spmd::all_gather(spmd::View(part, {count}),
                   spmd::View(x, {axis.size(), count}), axis, spmd::V, spmd::R);
}

double sum_over(double value, const spmd::Axis &axis,
                const Parallel &parallel) {
  double *sum = parallel.scalar;
  CUDACHECK(cudaMemcpyAsync(sum, &value, sizeof value, cudaMemcpyHostToDevice,
                            parallel.stream));
  spmd::all_reduce(spmd::View(sum, {1}), axis, spmd::V, spmd::R);
  double result = 0;
  CUDACHECK(cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost,
                            parallel.stream));
  CUDACHECK(cudaStreamSynchronize(parallel.stream));
  return result;
}

} // namespace zero
