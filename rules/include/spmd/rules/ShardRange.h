//===- ShardRange.h - How a dim is cut into shards --------------*- C++ -*-===//

#ifndef SPMD_RULES_SHARDRANGE_H
#define SPMD_RULES_SHARDRANGE_H

#include <cstdint>
#include <utility>

namespace spmd::rules {

/// Elements [first, second) of \p Size that rank \p Rank of \p N has: the first
/// ranks have one more when they do not divide, the last ones none when there
/// are fewer than ranks.
constexpr std::pair<std::int64_t, std::int64_t> shardRange(std::int64_t Size,
                                                           int N, int Rank) {
  const std::int64_t Each = Size / N, More = Size % N;
  const std::int64_t Begin = Rank * Each + (Rank < More ? Rank : More);
  return {Begin, Begin + Each + (Rank < More ? 1 : 0)};
}

/// Elements [first, second) of \p Size in part \p Part of \p N as partition
/// specs and torch.chunk cut: all parts are as large but the last ones.
constexpr std::pair<std::int64_t, std::int64_t>
chunkRange(std::int64_t Size, std::int64_t N, std::int64_t Part) {
  const std::int64_t Each = (Size + N - 1) / N;
  const auto AtMost = [Size](std::int64_t X) { return X < Size ? X : Size; };
  return {AtMost(Part * Each), AtMost((Part + 1) * Each)};
}

} // namespace spmd::rules

#endif // SPMD_RULES_SHARDRANGE_H
