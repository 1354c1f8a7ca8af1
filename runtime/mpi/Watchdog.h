//===- Watchdog.h - Ends a process that MPI does not let go -----*- C++ -*-===//

#ifndef SPMD_MPI_WATCHDOG_H
#define SPMD_MPI_WATCHDOG_H

namespace spmd::mpi {

/// Around a call that waits inside MPI, where no exception can reach it: a
/// process that is in there longer than the deadline says so, dumps its flight
/// record and ends, whereupon mpirun ends the others. That is left for a rank
/// that goes in the middle of an operator; see Gathering for all others.
class Watched {
public:
  /// \p What it is, or null for the last operator of the flight record.
  explicit Watched(const char *What = nullptr);
  ~Watched();
  Watched(const Watched &) = delete;
  Watched &operator=(const Watched &) = delete;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_WATCHDOG_H
