#include "layers.h"

namespace zero {
namespace {

__global__ void look_up(float *out, const int *tokens, const float *table,
                        const float *positions, int rows, int sequence,
                        int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * channels)
    return;
  const int row = i / channels, c = i % channels;
  out[i] = table[tokens[row] * channels + c] +
           positions[(row % sequence) * channels + c];
}

__global__ void scatter(float *dtable, float *dpositions, const float *dout,
                        const int *tokens, int rows, int sequence,
                        int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * channels)
    return;
  const int row = i / channels, c = i % channels;
  atomicAdd(&dtable[tokens[row] * channels + c], dout[i]);
  atomicAdd(&dpositions[(row % sequence) * channels + c], dout[i]);
}

} // namespace

void embedding_forward(float *out, const int *tokens, const float *table,
                       const float *positions, const Shape &shape, Launch on) {
  look_up<<<blocks_for(shape.rows() * shape.channels), threads, 0, on.stream>>>(
      out, tokens, table, positions, shape.rows(), shape.sequence,
      shape.channels);
  CUDACHECK(cudaGetLastError());
}

void embedding_backward(float *dtable, float *dpositions, const float *dout,
                        const int *tokens, const Shape &shape, Launch on) {
  scatter<<<blocks_for(shape.rows() * shape.channels), threads, 0, on.stream>>>(
      dtable, dpositions, dout, tokens, shape.rows(), shape.sequence,
      shape.channels);
  CUDACHECK(cudaGetLastError());
}

} // namespace zero
