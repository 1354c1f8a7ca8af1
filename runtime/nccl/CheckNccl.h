//===- CheckNccl.h - What NCCL reports, as an Error -------------*- C++ -*-===//

#ifndef SPMD_NCCL_CHECKNCCL_H
#define SPMD_NCCL_CHECKNCCL_H

#include "Watch.h"

namespace spmd {

/// The operator under way, for what NCCL says of it.
struct Checked {
  /// Waits for what goes on without us, but not between calls that are to run
  /// as one.
  void check(ncclResult_t Result, const char *What, bool IsLast = true) const {
    if (Result == ncclInProgress)
      Result = IsLast ? Over.await() : ncclSuccess;
    if (Result == ncclSuccess)
      return;
    // NCCL's own call ends so when it has been given up.
    Over.checkWell(C);
    failOn(C, std::string(What) + ": " + ncclGetErrorString(Result) + ", " +
                  ncclGetLastError(Comm));
  }

  const Call &C;
  ncclComm_t Comm;
  Watch &Over;
};

} // namespace spmd

#endif // SPMD_NCCL_CHECKNCCL_H
