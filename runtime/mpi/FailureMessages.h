//===- FailureMessages.h - What processes tell others of failure *- C++ -*-===//
//
// Small messages over MPI_COMM_WORLD, apart from all data. They are sent when
// something is wrong, and looked for by whoever waits.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_MPI_FAILUREMESSAGES_H
#define SPMD_MPI_FAILUREMESSAGES_H

#include <cstdint>
#include <string>

namespace spmd::mpi {

struct FailureMessage {
  enum Kind : std::int32_t {
    /// Whoever waits is to say for what.
    Asks,
    /// It waits for the call that Text describes.
    Waits,
    /// It has failed, and why.
    Failed,
  };
  std::int32_t Is = Asks;
  /// The ranks that the sender waits with; see hashOf.
  std::uint64_t Members = 0;
  char Text[496] = {};
};

/// Does not wait. Ranks are those of MPI_COMM_WORLD; one that it has not got is
/// below 0, and hears nothing.
void send(FailureMessage::Kind Is, std::uint64_t Members,
          const std::string &Text, int To);
/// The next note, if one has come.
bool receive(FailureMessage &Into, int &From);

/// This process's first failure: of one operator, all that come after it, on
/// whatever axis, have it as their cause. Empty while all is well.
const std::string &failure();
/// Tells all processes, unless it is known already.
void setFailure(const std::string &Cause, std::uint64_t Members);
/// Keeps what another process has told.
void keepFailure(const std::string &Cause);

} // namespace spmd::mpi

#endif // SPMD_MPI_FAILUREMESSAGES_H
