//===- ElementHash.h - What SPMD_CHECK compares of a value ------*- C++ -*-===//
//
// The sum over its elements of a number for each and its place, so that threads
// of the host or of a device may add it up in any order.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_ELEMENTHASH_H
#define SPMD_LIB_ELEMENTHASH_H

#include <cstdint>

#ifdef __CUDACC__
#define SPMD_ON_DEVICE_TOO __host__ __device__
#else
#define SPMD_ON_DEVICE_TOO
#endif

namespace spmd::detail {

/// \p Bits of the element \p At, mixed as SplitMix64 does. What is above
/// \p Infinity without its sign is a NaN, and all of these are one: which of
/// two an addition takes depends on their order.
template <class Word>
SPMD_ON_DEVICE_TOO constexpr std::uint64_t elementHash(Word Bits, Word Infinity,
                                                       std::uint64_t At) {
  const Word Magnitude = static_cast<Word>(static_cast<Word>(-1) >> 1);
  const bool IsNaN = static_cast<Word>(Bits & Magnitude) > Infinity;
  std::uint64_t H = (IsNaN ? Magnitude : Bits) + (At + 1) * 0x9e3779b97f4a7c15;
  H = (H ^ H >> 30) * 0xbf58476d1ce4e5b9;
  H = (H ^ H >> 27) * 0x94d049bb133111eb;
  return H ^ H >> 31;
}

} // namespace spmd::detail

#undef SPMD_ON_DEVICE_TOO

#endif // SPMD_LIB_ELEMENTHASH_H
