//===- Stream.h - Copies past the caches ------------------------*- C++ -*-===//
//
// Lines that are overwritten as a whole need not be read before. That pays
// where the copy is too large to stay in a cache.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_STREAM_H
#define SPMD_LIB_STREAM_H

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace spmd {

/// Bytes from which on a copy does not stay in a cache.
inline constexpr std::size_t StreamsFrom = std::size_t(8) << 20;

/// An address to ask for: \p Bytes after \p From, by number, as it may be past
/// the end.
inline const char *ahead(const char *From, std::size_t Bytes) {
  return reinterpret_cast<const char *>(reinterpret_cast<std::uintptr_t>(From) +
                                        Bytes);
}

/// As memcpy; to be followed by finishStreams. \p Ahead of \p From is what will
/// be copied soon.
inline void stream(char *To, const char *From, std::size_t Bytes,
                   [[maybe_unused]] std::size_t Ahead = 512) {
#if defined(__SSE2__)
  const std::size_t Head =
      std::min(Bytes, -reinterpret_cast<std::uintptr_t>(To) % 16);
  std::memcpy(To, From, Head);
  To += Head;
  From += Head;
  Bytes -= Head;
  for (; Bytes >= 64; Bytes -= 64, To += 64, From += 64) {
    _mm_prefetch(ahead(From, Ahead), _MM_HINT_NTA);
    for (int Q = 0; Q < 64; Q += 16)
      _mm_stream_si128(
          reinterpret_cast<__m128i *>(To + Q),
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(From + Q)));
  }
#endif
  std::memcpy(To, From, Bytes);
}

/// Before others read what has been streamed.
inline void finishStreams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace spmd

#endif // SPMD_LIB_STREAM_H
