//===- BriefLock.h - A lock for a few stores --------------------*- C++ -*-===//

#ifndef SPMD_LIB_BRIEFLOCK_H
#define SPMD_LIB_BRIEFLOCK_H

#include <atomic>
#include <chrono>
#include <thread>

namespace spmd {

/// Held for a few stores: who finds it taken does better to look again than to
/// be put to sleep and woken.
class BriefLock {
public:
  void lock() {
    for (int Tries = 0; Taken.exchange(true, std::memory_order_acquire);)
      // Its owner may have lost its core.
      if (++Tries > 100)
        std::this_thread::sleep_for(std::chrono::microseconds(1));
  }
  void unlock() { Taken.store(false, std::memory_order_release); }

private:
  std::atomic<bool> Taken{false};
};

} // namespace spmd

#endif // SPMD_LIB_BRIEFLOCK_H
