#include "CallHash.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

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
  if (rules::hasRoot(C.Op))
    Hash = mix(Hash, static_cast<std::uint64_t>(C.Root));
  for (const std::int64_t Extent : C.Whole)
    Hash = mix(Hash, static_cast<std::uint64_t>(Extent));
  return mix(Hash, C.Whole.size());
}

/// Ranks may have been built in different folders.
static const char *nameOf(const char *Path) {
  const char *const Slash = std::strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

std::uint64_t hashOf(Site At) {
  if (!At.Line)
    return 0;
  std::uint64_t Hash = mix(HashSeed, static_cast<std::uint64_t>(At.Line));
  for (const char *C = nameOf(At.File); *C; ++C)
    Hash = mix(Hash, static_cast<unsigned char>(*C));
  return Hash;
}

void warnOfPlaces(const std::string &Who) {
  static std::mutex Lock;
  static std::set<std::string> Told;
  const std::lock_guard<std::mutex> Held(Lock);
  if (Told.insert(Who).second)
    std::fprintf(stderr,
                 "spmd: warning: %s: if these are two calls, one rank has "
                 "swapped them, and their values are mixed\n",
                 Who.c_str());
}

} // namespace spmd::detail
