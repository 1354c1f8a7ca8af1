// The training loop.

#pragma once

#include "config.h"
#include "mesh.h"

namespace megatron {

/// Trains, from scratch or from a checkpoint, and keeps what the options ask
/// for. The first rank shows the loss on the way.
void train(const Config &config, const Parallel &parallel);

} // namespace megatron
