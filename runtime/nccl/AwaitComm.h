//===- AwaitComm.h - Calls of NCCL that do not block ------------*- C++ -*-===//

#ifndef SPMD_NCCL_AWAITCOMM_H
#define SPMD_NCCL_AWAITCOMM_H

#include "spmd/deadline.h"

#include <chrono>
#include <string>
#include <thread>

#include <nccl.h>

namespace spmd {

using WaitClock = std::chrono::steady_clock;

/// What the call on \p Comm that returned \p Began comes to, no later than
/// \p Until; \p Why is that in words.
inline ncclResult_t awaitComm(ncclResult_t Began, ncclComm_t Comm,
                              WaitClock::time_point Until, std::string &Why) {
  Why = ncclGetErrorString(Began);
  if (Began != ncclSuccess && Began != ncclInProgress)
    return Began;
  ncclResult_t State = ncclInProgress;
  while (ncclCommGetAsyncError(Comm, &State) == ncclSuccess &&
         State == ncclInProgress && WaitClock::now() < Until)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  if (State == ncclInProgress)
    Why = "a rank did not come within " + std::to_string(deadline().count()) +
          " ms";
  else if (State != ncclSuccess)
    Why =
        std::string(ncclGetErrorString(State)) + ", " + ncclGetLastError(Comm);
  return State;
}

} // namespace spmd

#endif // SPMD_NCCL_AWAITCOMM_H
