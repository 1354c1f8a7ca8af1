#include "layers.h"

namespace zero {
namespace {

/// Mean and reciprocal deviation of one row.
__device__ float2 statistics(const float *x, int channels) {
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    sum += x[c];
  const float mean = sum / channels;
  float square = 0;
  for (int c = 0; c < channels; ++c)
    square += (x[c] - mean) * (x[c] - mean);
  return make_float2(mean, rsqrtf(square / channels + 1e-5f));
}

/// One thread per row.
__global__ void normalise(float *out, const float *in, const float *weight,
                          const float *bias, int rows, int channels) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  const float *x = in + row * channels;
  float *y = out + row * channels;
  const float2 s = statistics(x, channels);
  for (int c = 0; c < channels; ++c)
    y[c] = (x[c] - s.x) * s.y * weight[c] + bias[c];
}

__global__ void normalise_backward(float *din, float *dweight, float *dbias,
                                   const float *dout, const float *in,
                                   const float *weight, int rows,
                                   int channels) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  const float *x = in + row * channels, *dy = dout + row * channels;
  const float2 s = statistics(x, channels);
  float mean = 0, projection = 0;
  for (int c = 0; c < channels; ++c) {
    const float normal = (x[c] - s.x) * s.y, dnormal = dy[c] * weight[c];
    mean += dnormal / channels;
    projection += dnormal * normal / channels;
    atomicAdd(&dweight[c], dy[c] * normal);
    atomicAdd(&dbias[c], dy[c]);
  }
  for (int c = 0; c < channels; ++c) {
    const float normal = (x[c] - s.x) * s.y;
    din[row * channels + c] +=
        (dy[c] * weight[c] - mean - normal * projection) * s.y;
  }
}

} // namespace

void layernorm_forward(float *out, const float *in, const float *weight,
                       const float *bias, int rows, int channels, Launch on) {
  normalise<<<blocks_for(rows), threads, 0, on.stream>>>(out, in, weight, bias,
                                                         rows, channels);
  CUDACHECK(cudaGetLastError());
}

void layernorm_backward(float *din, float *dweight, float *dbias,
                        const float *dout, const float *in, const float *weight,
                        int rows, int channels, Launch on) {
  normalise_backward<<<blocks_for(rows), threads, 0, on.stream>>>(
      din, dweight, dbias, dout, in, weight, rows, channels);
  CUDACHECK(cudaGetLastError());
}

} // namespace zero
