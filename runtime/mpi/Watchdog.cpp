#include "Watchdog.h"

#include "../lib/Recorder.h"

#include "spmd/deadline.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <mpi.h>

namespace spmd::mpi {
namespace {

using Clock = std::chrono::steady_clock;

class Watchdog {
public:
  /// When the one call under way began; threads take turns in MPI.
  std::atomic<Clock::rep> Since{0};
  std::atomic<const char *> What{nullptr};

  explicit Watchdog(int Rank) : Rank(Rank), Thread([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Ends = true;
    }
    Changed.notify_all();
    Thread.join();
  }

private:
  void watch() {
    std::unique_lock<std::mutex> Held(Lock);
    while (!Ends) {
      const auto Limit = deadline();
      Changed.wait_for(Held, std::clamp<std::chrono::milliseconds>(
                                 Limit / 8, std::chrono::milliseconds(10),
                                 std::chrono::seconds(1)));
      const Clock::rep Began = Since;
      if (Began &&
          Clock::now() - Clock::time_point(Clock::duration(Began)) > Limit)
        end(Limit);
    }
  }

  [[noreturn]] void end(std::chrono::milliseconds Limit) {
    const std::vector<FlightEntry> Calls = flight_record();
    const char *Known = What;
    const std::string Call = Known           ? Known
                             : Calls.empty() ? "a call of MPI"
                                             : describeEntry(Calls.back());
    std::fprintf(
        stderr,
        "spmd: %s has begun and is not done within %lld ms: a rank is "
        "gone or held up in it, and MPI does not give the others back; "
        "this process ends\n",
        Call.c_str(), static_cast<long long>(Limit.count()));
    dumpOnFailure(Rank);
    std::_Exit(EXIT_FAILURE);
  }

  const int Rank;
  std::mutex Lock;
  std::condition_variable Changed;
  bool Ends = false;
  std::thread Thread;
};

Watchdog &watchdog() {
  static Watchdog Only([] {
    int Rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    return Rank;
  }());
  return Only;
}

} // namespace

WatchdogScope::WatchdogScope(const char *What) {
  watchdog().What.store(What, std::memory_order_relaxed);
  watchdog().Since.store(Clock::now().time_since_epoch().count(),
                         std::memory_order_relaxed);
}

WatchdogScope::~WatchdogScope() {
  watchdog().Since.store(0, std::memory_order_relaxed);
}

} // namespace spmd::mpi
