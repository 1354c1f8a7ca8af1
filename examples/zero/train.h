// The loop: micro-steps, one optimizer step, one line of progress.

#pragma once

#include "config.h"
#include "parallel.h"

namespace zero {

void train(const Config &config, const Parallel &parallel);

} // namespace zero
