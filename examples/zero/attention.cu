#include "layers.h"

namespace zero {
namespace {

/// One (batch, head) of qkv [rows, 3, heads, size] and out [rows, heads, size].
struct Head {
  int row; ///< of position 0
  int offset;
  int channels;
  int size;

  __device__ int query(int t) const {
    return (row + t) * 3 * channels + offset;
  }
  __device__ int key(int t) const { return query(t) + channels; }
  __device__ int value(int t) const { return query(t) + 2 * channels; }
  __device__ int out(int t) const { return (row + t) * channels + offset; }
};

__device__ Head head_of(int i, int sequence, int heads, int channels) {
  const int size = channels / heads;
  const int batch = i / (heads * sequence), head = i / sequence % heads;
  return {batch * sequence, head * size, channels, size};
}

/// One thread per batch, head and position; its softmax weights are row i.
__global__ void attend(float *out, float *weights, const float *qkv, int count,
                       int sequence, int heads, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Head head = head_of(i, sequence, heads, channels);
  const int t = i % sequence;
  const float scale = rsqrtf(static_cast<float>(head.size));
  float *w = weights + i * sequence;

  float largest = -1e30f, sum = 0;
  for (int s = 0; s <= t; ++s) {
    float score = 0;
    for (int c = 0; c < head.size; ++c)
      score += qkv[head.query(t) + c] * qkv[head.key(s) + c];
    w[s] = score * scale;
    largest = fmaxf(largest, w[s]);
  }
  for (int s = 0; s <= t; ++s) {
    w[s] = expf(w[s] - largest);
    sum += w[s];
  }
  for (int s = 0; s <= t; ++s)
    w[s] /= sum;
  for (int c = 0; c < head.size; ++c) {
    float value = 0;
    for (int s = 0; s <= t; ++s)
      value += w[s] * qkv[head.value(s) + c];
    out[head.out(t) + c] = value;
  }
}

__global__ void attend_backward(float *dqkv, const float *dout,
                                const float *weights, const float *qkv,
                                int count, int sequence, int heads,
                                int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Head head = head_of(i, sequence, heads, channels);
  const int t = i % sequence;
  const float scale = rsqrtf(static_cast<float>(head.size));
  const float *w = weights + i * sequence;

  // Softmax's backward needs the weighted mean of the weights' gradients.
  float mean = 0;
  for (int s = 0; s <= t; ++s)
    for (int c = 0; c < head.size; ++c)
      mean += w[s] * dout[head.out(t) + c] * qkv[head.value(s) + c];
  for (int s = 0; s <= t; ++s) {
    float dweight = 0;
    for (int c = 0; c < head.size; ++c)
      dweight += dout[head.out(t) + c] * qkv[head.value(s) + c];
    const float dscore = w[s] * (dweight - mean) * scale;
    for (int c = 0; c < head.size; ++c) {
      atomicAdd(&dqkv[head.query(t) + c], dscore * qkv[head.key(s) + c]);
      atomicAdd(&dqkv[head.key(s) + c], dscore * qkv[head.query(t) + c]);
      atomicAdd(&dqkv[head.value(s) + c], w[s] * dout[head.out(t) + c]);
    }
  }
}

} // namespace

void attention_forward(float *out, float *weights, const float *qkv,
                       const Shape &shape, Launch on) {
  const int count = shape.batch * shape.heads * shape.sequence;
  attend<<<blocks_for(count), threads, 0, on.stream>>>(
      out, weights, qkv, count, shape.sequence, shape.heads, shape.channels);
  CUDACHECK(cudaGetLastError());
}

void attention_backward(float *dqkv, const float *dout, const float *weights,
                        const float *qkv, const Shape &shape, Launch on) {
  const int count = shape.batch * shape.heads * shape.sequence;
  CUDACHECK(cudaMemsetAsync(
      dqkv, 0, sizeof(float) * 3 * shape.rows() * shape.channels, on.stream));
  attend_backward<<<blocks_for(count), threads, 0, on.stream>>>(
      dqkv, dout, weights, qkv, count, shape.sequence, shape.heads,
      shape.channels);
  CUDACHECK(cudaGetLastError());
}

} // namespace zero
