#include "parameters.h"

#include <cmath>
#include <random>

namespace zero {
namespace {

constexpr int shared_weights = static_cast<int>(Weight::Norm1);
constexpr int layer_weights = static_cast<int>(Weight::DownBias) + 1;

std::size_t size_of(Weight weight, const Shape &shape) {
  const std::size_t c = shape.channels;
  switch (weight) {
  case Weight::Tokens:
    return shape.vocabulary * c;
  case Weight::Positions:
    return shape.sequence * c;
  case Weight::Qkv:
    return 3 * c * c;
  case Weight::QkvBias:
    return 3 * c;
  case Weight::Projection:
    return c * c;
  case Weight::Up:
  case Weight::Down:
    return 4 * c * c;
  case Weight::UpBias:
    return 4 * c;
  default:
    return c;
  }
}

bool is_gain(Weight weight) {
  return weight == Weight::FinalNorm || weight == Weight::Norm1 ||
         weight == Weight::Norm2;
}

bool is_matrix(Weight weight) {
  return weight == Weight::Tokens || weight == Weight::Positions ||
         weight == Weight::Qkv || weight == Weight::Projection ||
         weight == Weight::Up || weight == Weight::Down;
}

} // namespace

Parameters::Parameters(const Shape &shape, const Parallel &parallel,
                       std::uint64_t seed)
    : layers_(shape.layers) {
  std::size_t next = 0;
  for (int w = 0; w < layer_weights; ++w)
    for (int l = 0; l < (w < shared_weights ? 1 : layers_); ++l) {
      offsets_.push_back(next);
      next += size_of(static_cast<Weight>(w), shape);
    }
  offsets_.push_back(next);
  part = (next + parallel.size - 1) / parallel.size;
  padded = part * parallel.size;
  CUDACHECK(cudaMalloc(&values, padded * sizeof(float)));
  CUDACHECK(cudaMalloc(&gradients, padded * sizeof(float)));
  CUDACHECK(cudaMemset(gradients, 0, padded * sizeof(float)));
  initialise(shape, seed);
}

Parameters::~Parameters() {
  cudaFree(values);
  cudaFree(gradients);
}

void Parameters::initialise(const Shape &shape, std::uint64_t seed) {
  std::vector<float> host(padded, 0.0f);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0.0f, 0.02f);
  for (int w = 0; w < layer_weights; ++w) {
    const Weight weight = static_cast<Weight>(w);
    for (int l = 0; l < (w < shared_weights ? 1 : layers_); ++l)
      for (std::size_t i = 0; i < size_of(weight, shape); ++i)
        host[offset(weight, l) + i] = is_gain(weight)     ? 1.0f
                                      : is_matrix(weight) ? normal(random)
                                                          : 0.0f;
  }
  CUDACHECK(cudaMemcpy(values, host.data(), padded * sizeof(float),
                       cudaMemcpyHostToDevice));
}

std::size_t Parameters::offset(Weight weight, int layer) const {
  const int w = static_cast<int>(weight);
  return offsets_[w < shared_weights
                      ? w
                      : shared_weights + (w - shared_weights) * layers_ +
                            layer];
}

float *Parameters::value(Weight weight, int layer) const {
  return values + offset(weight, layer);
}

float *Parameters::gradient(Weight weight, int layer) const {
  return gradients + offset(weight, layer);
}

} // namespace zero
