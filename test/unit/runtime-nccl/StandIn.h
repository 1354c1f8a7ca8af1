//===- StandIn.h - CUDA and NCCL without a device ---------------*- C++ -*-===//
//
// What the NCCL communicator calls, on host threads: streams run beside the
// host and each other, memory of the device is told from the host's, and the
// operators of a communicator meet as NCCL's do. So its orders between streams,
// counts, groups and failures are tested on any machine; speed and the kernels
// are not. Each rank is a thread with a device of its own, that it sets.
//
// What CUDA and NCCL forbid is complained about: calls on a thread without a
// device, on a communicator that is destroyed or still busy with a call that
// does not block, and aborting one under a call.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TEST_UNIT_RUNTIME_NCCL_STANDIN_H
#define SPMD_TEST_UNIT_RUNTIME_NCCL_STANDIN_H

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <functional>
#include <string>
#include <vector>

namespace spmd::standin {

/// \p Do runs on \p On after all that was put there before.
void put(cudaStream_t On, std::function<void()> Do);

/// Something was done that NCCL or CUDA forbids.
void complain(const std::string &What);
/// What has been complained about since the last time.
std::vector<std::string> complaints();

/// Whether the first operator of a communicator holds the host up until all
/// ranks have called theirs, as NCCL's does that connects them.
void setConnectsAtFirst(bool Does);

/// Whether destroying a communicator takes long enough for others to ask it
/// meanwhile.
void setDestroysSlowly(bool Does);

/// Complains, and is false, unless \p Bytes from \p Data on are memory of a
/// device.
bool expectOnDevice(const void *Data, std::size_t Bytes, const char *Who);

/// A communicator for each of \p N ranks, to be destroyed or aborted.
std::vector<ncclComm_t> world(int N);

} // namespace spmd::standin

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_STANDIN_H
