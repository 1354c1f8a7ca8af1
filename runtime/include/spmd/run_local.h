//===- run_local.h - The ranks of a program as threads ----------*- C++ -*-===//

#ifndef SPMD_RUN_LOCAL_H
#define SPMD_RUN_LOCAL_H

#include "spmd/deadline.h"

#include <functional>

namespace spmd {

struct LocalOptions {
  /// How long a rank waits for the others in one operator.
  std::chrono::milliseconds Deadline = deadline();
};

/// Runs \p Body(rank) for the ranks 0 … \p Ranks - 1, a thread each, and waits
/// for all. With no other backend installed they are the ranks of every mesh
/// that \p Body makes. Sums are taken in rank order, so results are the same at
/// every run.
///
/// Axes are connected by the rank's own thread; other threads that it has made
/// may then call operators in its place, one at a time, as in a backward.
///
/// What a rank throws ends the run: ranks that wait for it get an Error, and
/// the first exception is thrown again here. A rank that does not come within
/// the deadline, has ended or calls another operator is an Error on all ranks
/// of the axis.
///
///     spmd::run_local(4, [](int Rank) {
///       spmd::Mesh Mesh({{"dp", 2}, {"tp", 2}}, Rank);
///       …
///     });
void run_local(int Ranks, const std::function<void(int)> &Body,
               const LocalOptions &Options = {});

} // namespace spmd

#endif // SPMD_RUN_LOCAL_H
