//===- Awake.h - Waiting without going to sleep -----------------*- C++ -*-===//

#ifndef SPMD_LIB_AWAKE_H
#define SPMD_LIB_AWAKE_H

#include <chrono>
#include <thread>

namespace spmd::detail {

/// Between two looks at what another core is to write.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks for about a microsecond whether \p IsDone, and keeps the core.
template <class Fn> bool spin(Fn IsDone) {
  for (int Look = 0; Look < 100; ++Look) {
    if (IsDone())
      return true;
    pause();
  }
  return false;
}

/// Looks until \p IsDone, for at most as long as a short operator takes: a
/// thread that sleeps is woken 10 to 50 us after it could go on. Gives way to
/// whoever wants the core, as that may be who it waits for. False if it is time
/// to sleep.
template <class Fn> bool giveWay(Fn IsDone) {
  using Clock = std::chrono::steady_clock;
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
