// What goes over the network, but for the parameters. The annotations name the
// communicator parameter: it stands for the axis it spans.

#pragma once

#include "parallel.h"

#include <cstddef>

namespace zero {

/// Completes a pending sum, in place.
void all_reduce([[spmd::type("axis: P -> axis: R")]] float *x,
                std::size_t count, ncclComm_t axis, cudaStream_t stream);

/// Completes a pending sum; each rank receives its part of it, whatever \p part
/// held before.
void reduce_scatter([[spmd::type("-> axis: V")]] float *part,
                    [[spmd::type("axis: P")]] const float *x, std::size_t count,
                    ncclComm_t axis, cudaStream_t stream);

/// Puts the ranks' parts together.
void all_gather([[spmd::type("axis: V -> axis: R")]] float *x,
                [[spmd::type("axis: V")]] const float *part, std::size_t count,
                ncclComm_t axis, cudaStream_t stream);

/// The sum of one number per rank.
[[spmd::type("axis: R")]] double
sum_over([[spmd::type("axis: V")]] double value, ncclComm_t axis,
         const Parallel &parallel);

} // namespace zero
