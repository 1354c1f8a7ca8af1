#include "layers.h"

namespace zero {
namespace {

/// One thread per row.
__global__ void cross_entropy(float *losses, float *logits, const int *targets,
                              float share, int rows, int vocabulary) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float *z = logits + row * vocabulary;
  float largest = -1e30f, sum = 0;
  for (int v = 0; v < vocabulary; ++v)
    largest = fmaxf(largest, z[v]);
  for (int v = 0; v < vocabulary; ++v)
    sum += expf(z[v] - largest);
  losses[row] = logf(sum) + largest - z[targets[row]];
  for (int v = 0; v < vocabulary; ++v)
    z[v] = share * (expf(z[v] - largest) / sum - (v == targets[row] ? 1 : 0));
}

} // namespace

void loss_and_gradient(float *losses, float *logits, const int *targets,
                       float share, int rows, int vocabulary, Launch on) {
  cross_entropy<<<blocks_for(rows), threads, 0, on.stream>>>(
      losses, logits, targets, share, rows, vocabulary);
  CUDACHECK(cudaGetLastError());
}

} // namespace zero
