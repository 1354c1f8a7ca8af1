#include "adamw.h"

namespace zero {
namespace {

__global__ void update(float *values, float *first, float *second,
                       const float *gradients, std::size_t count, float scale,
                       AdamW rule, float correction1, float correction2) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i >= count)
    return;
  const float g = gradients[i] * scale;
  first[i] = rule.beta1 * first[i] + (1 - rule.beta1) * g;
  second[i] = rule.beta2 * second[i] + (1 - rule.beta2) * g * g;
  const float move =
      first[i] / correction1 / (sqrtf(second[i] / correction2) + 1e-8f);
  values[i] -= rule.learning_rate * (move + rule.weight_decay * values[i]);
}

__global__ void add_squares(double *sum, const float *x, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    atomicAdd(sum, double(x[i]) * x[i]);
}

} // namespace

void adamw(float *values, float *first, float *second, const float *gradients,
           std::size_t count, float scale, const AdamW &rule,
           cudaStream_t stream) {
  const float correction1 = 1 - powf(rule.beta1, float(rule.step));
  const float correction2 = 1 - powf(rule.beta2, float(rule.step));
  update<<<blocks_for(long(count)), threads, 0, stream>>>(
      values, first, second, gradients, count, scale, rule, correction1,
      correction2);
  CUDACHECK(cudaGetLastError());
}

double sum_of_squares(const float *x, std::size_t count, double *scratch,
                      cudaStream_t stream) {
  CUDACHECK(cudaMemsetAsync(scratch, 0, sizeof(double), stream));
  add_squares<<<blocks_for(long(count)), threads, 0, stream>>>(scratch, x,
                                                               count);
  CUDACHECK(cudaGetLastError());
  double result = 0;
  CUDACHECK(cudaMemcpyAsync(&result, scratch, sizeof result,
                            cudaMemcpyDeviceToHost, stream));
  CUDACHECK(cudaStreamSynchronize(stream));
  return result;
}

} // namespace zero
