#include "CallHash.h"

namespace spmd::detail {

static std::uint64_t mix(std::uint64_t Hash, const Placement &P) {
  Hash = mix(Hash, static_cast<std::uint64_t>(P.Type) * 2 + P.HasDim);
  Hash = mix(Hash, static_cast<std::uint64_t>(P.Dim));
  if (P.Sizes)
    for (const std::int64_t Size : *P.Sizes)
      Hash = mix(Hash, static_cast<std::uint64_t>(Size));
  return Hash;
}

std::uint64_t hashOf(const Call &C) {
  std::uint64_t Hash = mix(HashSeed, static_cast<std::uint64_t>(C.Op));
  Hash = mix(Hash, static_cast<std::uint64_t>(C.Type) * 2 + C.Mean);
  Hash = mix(mix(Hash, C.Src), C.Dst);
  for (const std::int64_t Extent : C.Whole)
    Hash = mix(Hash, static_cast<std::uint64_t>(Extent));
  return mix(Hash, C.Whole.size());
}

} // namespace spmd::detail
