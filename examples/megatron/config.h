// The model's shape, how it is split over the mesh, and how it is trained.

#pragma once

#include <cstdint>
#include <string>

namespace megatron {

/// What carries the ranks' messages; see ranks.h.
enum class Backend { Detect, Local, Mpi, C10d };

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
  /// By default what the launcher's variables say; without a launcher, threads.
  Backend backend = Backend::Detect;

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

  // What is kept; an empty path is nothing.
  std::string losses;     ///< of all steps, JSON or CSV by its ending
  std::string plot;       ///< of the losses, SVG
  std::string checkpoint; ///< a folder
  int64_t checkpoint_every = 100;
  bool resume = false; ///< from the newest checkpoint in that folder
};

/// Reads `--key=value` arguments; `--key` alone is `--key=1`. Throws
/// std::invalid_argument that names the argument, also when the sizes cannot be
/// split over the mesh.
Config parse_arguments(int argc, const char *const *argv);

} // namespace megatron
