//===- Awake.h - Waiting without going to sleep -----------------*- C++ -*-===//

#ifndef SPMD_LIB_AWAKE_H
#define SPMD_LIB_AWAKE_H

#include <chrono>
#include <thread>

namespace spmd::detail {

/// Looks until \p IsDone, for at most as long as a short operator takes: a
/// thread that sleeps is woken 10 to 50 us after it could go on. For the first
/// \p Looks it keeps the core, which pays where it may be done within a
/// microsecond; then it gives way to whoever wants it, as that may be who it
/// waits for. False if it is time to sleep.
template <class Fn> bool waitAwake(int Looks, Fn IsDone) {
  using Clock = std::chrono::steady_clock;
  for (int Look = 0; Look < Looks; ++Look) {
    if (IsDone())
      return true;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  const Clock::time_point Until = Clock::now() + std::chrono::microseconds(500);
  while (!IsDone()) {
    if (Clock::now() >= Until)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace spmd::detail

#endif // SPMD_LIB_AWAKE_H
