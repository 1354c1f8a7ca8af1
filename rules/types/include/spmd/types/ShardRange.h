//===- ShardRange.h - How a dim is cut into shards --------------*- C++ -*-===//
//
// As torch.chunk cuts: all shards are as large but the last ones, which have
// what is left, or nothing. A dim that several axes shard is cut along the
// outermost one, then each of its shards along the next, as DTensor does. So
// putting shards together along the last axis of a dim, or cutting along one
// more, is right for every size.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_SHARDRANGE_H
#define SPMD_TYPES_SHARDRANGE_H

#include <cstdint>
#include <utility>

namespace spmd::rules {

/// Elements [first, second) of a dim.
using ElementRange = std::pair<std::int64_t, std::int64_t>;

constexpr std::int64_t lengthOf(const ElementRange &R) {
  return R.second - R.first;
}

/// Part \p Part of \p N of the elements \p Of.
constexpr ElementRange shardOf(const ElementRange &Of, std::int64_t N,
                               std::int64_t Part) {
  const std::int64_t Each = (lengthOf(Of) + N - 1) / N;
  const auto At = [&](std::int64_t I) {
    return I * Each < lengthOf(Of) ? Of.first + I * Each : Of.second;
  };
  return {At(Part), At(Part + 1)};
}

} // namespace spmd::rules

#endif // SPMD_TYPES_SHARDRANGE_H
