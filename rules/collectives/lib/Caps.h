//===- Caps.h - What ends the run of a program ------------------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_CAPS_H
#define SPMD_COLLECTIVES_CAPS_H

#include <cstdint>

namespace spmd::collectives {

/// Ways through one root for one number of ranks; steps of all ranks in one
/// run, and of all runs of a root on one communicator.
constexpr unsigned MaxRuns = 96, MaxSteps = 100'000, MaxAllSteps = 1'000'000;
/// The same where one rank is looked at alone.
constexpr unsigned MaxWatchedRuns = 64, MaxWatchedSteps = 60'000,
                   MaxAllWatchedSteps = 600'000;
/// Communicators that are tried in their turn.
constexpr unsigned MaxBases = 4;
/// Calls inside calls.
constexpr unsigned MaxDepth = 12;
/// Rounds of a loop that communicates.
constexpr unsigned MaxTrips = 300;
/// More requests in one call are not followed.
constexpr std::int64_t MaxRequests = 256;

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_CAPS_H
