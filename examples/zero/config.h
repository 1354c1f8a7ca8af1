// The model's shape, what is split over the ranks, and how it is trained.

#pragma once

#include <cstdint>
#include <string>

namespace zero {

/// What is split over dp besides the batch.
enum class Stage {
  Optimizer = 1, ///< moments: each rank updates its part of the parameters
  Gradients = 2, ///< gradients too: a rank receives the sum of its part alone
};

struct Config {
  // Shape.
  int vocabulary = 256; ///< bytes
  int sequence = 64;
  int channels = 64;
  int heads = 4;
  int layers = 2;

  Stage stage = Stage::Optimizer;
  /// Threads of this process, a rank and a device each; 1 for a launcher's
  /// processes.
  int ranks = 1;

  // Training.
  int steps = 20;
  int batch = 8; ///< sequences per micro-step over all ranks
  int micro_steps = 1;
  float learning_rate = 1e-3f;
  float beta1 = 0.9f;
  float beta2 = 0.95f;
  float weight_decay = 0.1f;
  float clip = 1.0f;
  std::uint64_t seed = 1;
  std::string data = "/usr/share/common-licenses/GPL-3";
  std::string losses; ///< a CSV file to write; empty is none
};

/// Reads `--key=value` arguments. Ends the program with a message that names
/// the argument, also when the sizes do not fit each other.
Config parse_arguments(int argc, const char *const *argv);

} // namespace zero
