//===- CallHash.h - Whether ranks mean the same call ------------*- C++ -*-===//

#ifndef SPMD_LIB_CALLHASH_H
#define SPMD_LIB_CALLHASH_H

#include "spmd/communicator.h"

#include <cstdint>

namespace spmd::detail {

/// FNV-1a, a step for a word: quick to write down, and good enough to tell two
/// calls or two buffers apart.
constexpr std::uint64_t HashSeed = 0xcbf29ce484222325ULL;
constexpr std::uint64_t mix(std::uint64_t Hash, std::uint64_t Word) {
  Hash = (Hash ^ Word) * 0x100000001b3ULL;
  return Hash ^ Hash >> 32;
}

/// Equal for calls of one operator, by the same types and element type, on the
/// same whole shape.
std::uint64_t hashOf(const Call &C);

/// Equal for one line of one file, wherever it was built; 0 is unknown.
std::uint64_t hashOf(Site At);

/// What all but NaNs of the type are at most, in bits without the sign.
std::uint64_t infinityOf(DType Type);

inline bool isSamePlace(Site A, Site B) {
  return A.Line == B.Line && (A.File == B.File || hashOf(A) == hashOf(B));
}

/// A warning on stderr, once for each text: the ranks make the same call, as
/// \p Who says, at several places.
void warnOfPlaces(const std::string &Who);

} // namespace spmd::detail

#endif // SPMD_LIB_CALLHASH_H
