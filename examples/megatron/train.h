// The training loop.

#pragma once

#include "config.h"
#include "mesh.h"

namespace megatron {

/// Trains from scratch and prints the loss of each step on rank 0.
void train(const Config &config, const Parallel &parallel);

} // namespace megatron
