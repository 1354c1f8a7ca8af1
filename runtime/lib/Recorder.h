//===- Recorder.h - The ring behind spmd/flight.h ---------------*- C++ -*-===//

#ifndef SPMD_LIB_RECORDER_H
#define SPMD_LIB_RECORDER_H

#include "spmd/flight.h"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>

namespace spmd {

/// The ring of one rank. Backward may run on another thread of the process.
class Recorder {
public:
  static constexpr std::size_t Capacity = 1024;

  /// Notes that \p C begins; the number is for finish.
  std::uint64_t begin(const Call &C);
  void finish(std::uint64_t Number);
  std::vector<FlightEntry> entries() const;

  /// An operator was started and never waited for.
  void drop(std::exception_ptr Failure);
  /// The first that was dropped, once; or null.
  std::exception_ptr takeDropped();
  void throwDropped() {
    if (Dropped.load(std::memory_order_relaxed))
      std::rethrow_exception(takeDropped());
  }

private:
  mutable std::mutex Lock;
  std::vector<FlightEntry> Ring;
  std::uint64_t Next = 0;
  /// By size and lowest rank, calls so far.
  std::map<std::pair<int, int>, std::uint64_t> Sequences;
  std::exception_ptr FirstDropped;
  std::atomic<bool> Dropped{false};
};

/// That of the calling rank: a thread of run_local has its own.
Recorder &recorder();

/// Writes the ring where SPMD_FLIGHT_DIR says, if it does. What goes wrong here
/// is not to hide the failure that is being reported.
void dumpOnFailure(int Rank) noexcept;

/// Notes a call for as long as it runs.
class Recording {
public:
  Recording(Recorder &In, const Call &C) : In(In), Number(In.begin(C)) {}
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  void finish() { In.finish(Number); }

private:
  Recorder &In;
  std::uint64_t Number;
};

} // namespace spmd

#endif // SPMD_LIB_RECORDER_H
