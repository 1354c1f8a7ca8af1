// What goes over the network, but for the parameters. The annotations name the
// axis parameter.

#pragma once

#include "parallel.h"

#include <cstdint>

namespace zero {

/// Completes a pending sum, in place.
void all_reduce([[spmd::type("axis: P -> axis: R")]] float *x,
                std::int64_t count, const spmd::Axis &axis);

/// Completes a pending sum; each rank receives its part of it, whatever \p part
/// held before.
void reduce_scatter([[spmd::type("-> axis: V")]] float *part,
                    [[spmd::type("axis: P")]] float *x, std::int64_t count,
                    const spmd::Axis &axis);

/// Puts the ranks' parts together; \p part may lie in its place in \p x.
void all_gather([[spmd::type("axis: V -> axis: R")]] float *x,
                [[spmd::type("axis: V")]] float *part, std::int64_t count,
                const spmd::Axis &axis);

/// The sum of one number per rank.
[[spmd::type("axis: R")]] double
sum_over([[spmd::type("axis: V")]] double value, const spmd::Axis &axis,
         const Parallel &parallel);

} // namespace zero
