//===- nccl.h - An NCCL communicator as an axis -----------------*- C++ -*-===//
//
// Makes ncclComm_t convertible to spmd::Axis. The communicator stays its
// owner's and must outlive the axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_NCCL_H
#define SPMD_NCCL_H

#include "spmd/axis.h"

#include <nccl.h>

namespace spmd {

/// An axis over an ncclComm_t.
class NcclCommunicator : public Communicator {
public:
  /// An invalid communicator is an Error with NCCL's own text.
  explicit NcclCommunicator(ncclComm_t C) : Comm(C) {
    check(ncclCommCount(Comm, &Ranks), "ncclCommCount");
    check(ncclCommUserRank(Comm, &Self), "ncclCommUserRank");
  }
  int size() const override { return Ranks; }
  int rank() const override { return Self; }
  const char *kind() const override { return "nccl"; }
  ncclComm_t comm() const { return Comm; }

private:
  static void check(ncclResult_t Result, const char *Call) {
    if (Result != ncclSuccess)
      detail::fail(std::string("spmd::Axis: ") + Call + ": " +
                   ncclGetErrorString(Result));
  }

  ncclComm_t Comm;
  int Ranks = 0;
  int Self = 0;
};

template <> struct AxisSource<ncclComm_t> {
  static std::shared_ptr<Communicator> communicator(ncclComm_t C) {
    return std::make_shared<NcclCommunicator>(C);
  }
};

} // namespace spmd

#endif // SPMD_NCCL_H
