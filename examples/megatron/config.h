// The model's shape, how it is split over the mesh, and how it is trained.

#pragma once

#include <cstdint>
#include <string>

namespace megatron {

struct Config {
  // Shape.
  int64_t vocabulary = 256; ///< bytes
  int64_t sequence = 64;
  int64_t hidden = 64;
  int64_t heads = 4;
  int64_t layers = 2;

  // Parallelism.
  int64_t dp = 1;
  int64_t tp = 1;
  bool sequence_parallel = false;
  bool vocabulary_parallel = true;

  // Training.
  int64_t steps = 20;
  int64_t batch = 8; ///< sequences per step over all of dp
  double learning_rate = 3e-3;
  double weight_decay = 0.01;
  double clip = 1.0;
  /// Weight of the penalty on the output table's mean.
  [[spmd::type("tp: I, dp: R")]] double centering = 1e-3;
  uint64_t seed = 1;
  std::string data = "/usr/share/common-licenses/GPL-3";
};

/// Reads `--key=value` arguments. Throws std::invalid_argument that names the
/// argument, also when the sizes cannot be split over the mesh.
Config parse_arguments(int argc, const char *const *argv);

} // namespace megatron
