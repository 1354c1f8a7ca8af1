//===- Watchdog.h - Ends a process that MPI does not let go -----*- C++ -*-===//

#ifndef SPMD_MPI_WATCHDOG_H
#define SPMD_MPI_WATCHDOG_H

namespace spmd::mpi {

/// Around a call that waits inside MPI, where no exception can reach it: a
/// process that is in there longer than the deadline says so, dumps its flight
/// record and ends, whereupon mpirun ends the others. That is left for a rank
/// that goes in the middle of an operator; see CheckedBarrier for all others.
class WatchdogScope {
public:
  /// \p What it is, or null for the last operator of the flight record.
  explicit WatchdogScope(const char *What = nullptr);
  ~WatchdogScope();
  WatchdogScope(const WatchdogScope &) = delete;
  WatchdogScope &operator=(const WatchdogScope &) = delete;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_WATCHDOG_H
