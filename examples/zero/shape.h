// One rank's share of a micro-step.

#pragma once

#include "check.h"
#include "config.h"

namespace zero {

struct Shape {
  int batch, sequence, channels, heads, layers, vocabulary;

  int rows() const { return batch * sequence; }
  int head_size() const { return channels / heads; }
};

inline Shape shape_of(const Config &config, int ranks) {
  return {config.batch / ranks, config.sequence, config.channels,
          config.heads,         config.layers,   config.vocabulary};
}

/// One thread per element.
constexpr int threads = 256;
inline unsigned blocks_for(long elements) {
  return static_cast<unsigned>((elements + threads - 1) / threads);
}

} // namespace zero
