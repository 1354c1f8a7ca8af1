// Stand-in for libtorch's random number generator of the host.
#pragma once

#include <ATen/core/Tensor.h>

namespace at::detail {
Generator createCPUGenerator(uint64_t seed_val = 0);
} // namespace at::detail
