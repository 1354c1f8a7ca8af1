//===- StandIn.h - CUDA and NCCL without a device ---------------*- C++ -*-===//
//
// What the NCCL communicator calls, on host threads: streams run beside the
// host and each other, memory of the device is told from the host's, and the
// operators of a communicator meet as NCCL's do. So its orders between streams,
// counts, groups and failures are tested on any machine; speed and the kernels
// are not. Each rank is a thread with a device of its own, that it sets.
//
// What CUDA and NCCL forbid is complained about: calls on a thread without a
// device or on another one, what breaks the capture of a graph off, memory that
// is freed or the host's, communicators that are destroyed in use, busy with a
// call that does not block, aborted under one, or used at once in orders that
// wait for each other.
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

/// What is done on a stream, made when it is put there: of a graph, each time
/// that it is launched.
using Make = std::function<std::function<void()>()>;

/// What \p Do makes runs on \p On after all that was put there before.
void put(cudaStream_t On, Make Do);
bool isCapturing(cudaStream_t S);
int deviceOf(cudaStream_t S);

/// Something was done that NCCL or CUDA forbids.
void complain(const std::string &What);
/// What has been complained about since the last time.
std::vector<std::string> complaints();

/// Whether the first operator of a communicator holds the host up until all
/// ranks have called theirs, as NCCL's does that connects them.
void setConnectsAtFirst(bool Does);

/// Whether a communicator can be revoked, as it is from NCCL 2.28.7 on, and ids
/// be made.
void setCanRevoke(bool Can);
void setMakesIds(bool Does);

/// Whether destroying a communicator takes long enough for others to ask it
/// meanwhile.
void setDestroysSlowly(bool Does);

/// Complains, and is false, unless \p Bytes from \p Data on are memory of a
/// device, of \p Device if one is said. A graph that \p Replays has what it
/// allocates.
bool expectOnDevice(const void *Data, std::size_t Bytes, const char *Who,
                    bool Replays = false, int Device = -1);
/// Complains of what is allocated and not freed in the capture of that number.
void expectGraphFreed(unsigned long long Graph);

/// Operator \p Number of a communicator, \p Of, of so many \p Ranks comes to
/// \p Device. Complains where devices have operators of several communicators
/// under way in orders of which each waits for the next: those that fill a
/// device keep the others out.
struct Underway {
  std::uint64_t Of, Number;
  int Ranks, Device;
};
void comes(const Underway &U);
void goes(const Underway &U);

/// Bytes that went from devices to the host since the last time.
std::size_t downloaded();

/// The most CTAs that a communicator was asked to have at last.
int latestMaxCtas();

/// What \p Do does once all ranks of a communicator have come with as many
/// \p Bytes.
ncclResult_t registerTogether(ncclComm_t Comm, std::size_t Bytes,
                              std::function<ncclResult_t()> Do);

/// Whether memory can be made a window, as it is at first.
void setMakesWindows(bool Does);
/// What is registered with communicators now: windows, and the rest.
std::pair<int, int> registered();

/// A communicator for each of \p N ranks, to be destroyed or aborted.
std::vector<ncclComm_t> world(int N);

} // namespace spmd::standin

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_STANDIN_H
