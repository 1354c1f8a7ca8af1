//===- KnownLength.h - Copies of lengths the compiler knows -----*- C++ -*-===//

#ifndef SPMD_LIB_KNOWNLENGTH_H
#define SPMD_LIB_KNOWNLENGTH_H

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace spmd {

/// Calls \p Do with \p Bytes as a constant where a call of memcpy each would
/// take longer than what it copies, else with 0.
template <class Fn> void withKnownLength(std::size_t Bytes, Fn Do) {
  switch (Bytes) {
  case 1:
    return Do(std::integral_constant<std::size_t, 1>());
  case 2:
    return Do(std::integral_constant<std::size_t, 2>());
  case 4:
    return Do(std::integral_constant<std::size_t, 4>());
  case 8:
    return Do(std::integral_constant<std::size_t, 8>());
  case 16:
    return Do(std::integral_constant<std::size_t, 16>());
  case 32:
    return Do(std::integral_constant<std::size_t, 32>());
  case 64:
    return Do(std::integral_constant<std::size_t, 64>());
  case 128:
    return Do(std::integral_constant<std::size_t, 128>());
  default:
    return Do(std::integral_constant<std::size_t, 0>());
  }
}

/// \p Known bytes, or \p Bytes where that is 0.
template <std::size_t Known>
void copyRun(void *To, const void *From, std::size_t Bytes) {
  std::memcpy(To, From, Known ? Known : Bytes);
}

} // namespace spmd

#endif // SPMD_LIB_KNOWNLENGTH_H
