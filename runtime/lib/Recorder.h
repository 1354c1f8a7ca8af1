//===- Recorder.h - The ring behind spmd/flight.h ---------------*- C++ -*-===//

#ifndef SPMD_LIB_RECORDER_H
#define SPMD_LIB_RECORDER_H

#include "BriefLock.h"

#include "spmd/flight.h"
#include "spmd/profile.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

namespace spmd {

/// The ring of one rank. Backward may run on another thread of the process.
class Recorder {
public:
  static constexpr std::size_t Capacity = 1024;

  /// Notes that \p C begins; the number is for finish.
  std::uint64_t begin(const Call &C);
  void finish(std::uint64_t Number) {
    // Another call may have its place by now.
    if (Next.load(std::memory_order_relaxed) - Number <= Capacity)
      Ring[Number % Capacity].Finished.store(Number + 1,
                                             std::memory_order_release);
  }
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
  /// A rank that has slept in a collective finds nothing in its caches: so few
  /// lines are touched, and none is waited for.
  struct alignas(64) Slot {
    FlightEntry Entry;
    /// The number of the call that has finished here, plus one.
    std::atomic<std::uint64_t> Finished{0};
  };
  /// Two meshes may have the same ranks on axes of two names, and ranks of
  /// which one is the lowest on both.
  struct Counted {
    char Name[sizeof FlightEntry::Axis];
    int Size, FirstRank;
    std::uint64_t Calls;
  };
  /// How many calls the axis of \p E has had.
  std::uint64_t &calls(const FlightEntry &E);

  mutable BriefLock Lock;
  std::vector<Slot> Ring;
  std::atomic<std::uint64_t> Next{0};
  std::vector<Counted> Axes;
  std::exception_ptr FirstDropped;
  std::atomic<bool> Dropped{false};
};

/// "all_gather(S(0) -> R)".
std::string operatorText(const FlightEntry &E);
/// "train.cpp:8: spmd::all_reduce(P -> R) of f32[4] over axis 'tp' of 2 ranks".
std::string describeEntry(const FlightEntry &E);

/// That of the calling rank: a thread of run_local has its own.
Recorder &recorder();

/// Writes the ring where SPMD_FLIGHT_DIR says, if it does. What goes wrong here
/// is not to hide the failure that is being reported.
void dumpOnFailure(int Rank) noexcept;
/// That which the launcher gave this process, if there is one.
int launchedRank(int Otherwise);
/// The rank in the program of who is on \p A.
int rankInProgram(const Axis &A);
/// The same for that rank.
void dumpOnFailure(const Axis &A) noexcept;

/// Notes a call for as long as it runs, and tells the profiler.
class Recording {
public:
  Recording(Recorder &In, const Call &C) : In(In), Number(In.begin(C)) {
    Range.begin(C);
  }
  ~Recording() { Range.end(); }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  void finish() {
    In.finish(Number);
    Range.end();
  }

private:
  Recorder &In;
  std::uint64_t Number;
  detail::ProfiledRange Range;
};

} // namespace spmd

#endif // SPMD_LIB_RECORDER_H
