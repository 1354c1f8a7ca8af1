// All weights in one buffer, all their gradients in another: one collective
// serves them all, and a rank's part is a range.

#pragma once

#include "parallel.h"
#include "shape.h"

#include <cstddef>
#include <vector>

namespace zero {

enum class Weight {
  Tokens,
  Positions,
  FinalNorm,
  FinalNormBias,
  // One per layer.
  Norm1,
  Norm1Bias,
  Qkv,
  QkvBias,
  Projection,
  ProjectionBias,
  Norm2,
  Norm2Bias,
  Up,
  UpBias,
  Down,
  DownBias,
};

class Parameters {
public:
  /// Initialised alike on every rank, from \p seed.
  Parameters(const Shape &shape, const Parallel &parallel, std::uint64_t seed);
  ~Parameters();
  Parameters(const Parameters &) = delete;
  Parameters &operator=(const Parameters &) = delete;

  [[spmd::type("dp: R")]] float *value(Weight weight, int layer = 0) const;
  [[spmd::type("dp: P")]] float *gradient(Weight weight, int layer = 0) const;

  /// Elements of a rank's part; the buffers are padded to a multiple of it.
  std::size_t part = 0;
  std::size_t padded = 0;
  [[spmd::type("dp: R")]] float *values = nullptr;
  [[spmd::type("dp: P")]] float *gradients = nullptr;

private:
  std::size_t offset(Weight weight, int layer) const;
  void initialise(const Shape &shape, std::uint64_t seed);

  std::vector<std::size_t> offsets_; ///< by weight, then layer
  int layers_ = 0;
};

} // namespace zero
