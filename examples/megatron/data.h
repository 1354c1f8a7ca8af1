// Byte-level text: every rank of dp reads its own share of every batch.

#pragma once

#include "config.h"
#include "mesh.h"

#include <spmd/torch.h>
#include <torch/torch.h>

#include <string>

namespace megatron {

/// Both are [batch / dp, sequence]; targets are the tokens one place on.
struct Batch {
  [[spmd::type("tp: R, dp: V")]] at::Tensor tokens;
  [[spmd::type("tp: R, dp: V")]] at::Tensor targets;
};

class Corpus {
public:
  /// Throws std::runtime_error when the file cannot be read or is too short.
  Corpus(const Config &config, const Parallel &parallel);

  /// The same sequences for a step however many ranks share them.
  Batch batch(int64_t step) const;

private:
  int64_t sequence_;
  int64_t batch_;
  [[spmd::axis("dp")]] spmd::Axis dp_;
  std::string text_;
};

} // namespace megatron
