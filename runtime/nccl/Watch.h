//===- Watch.h - A deadline for what is on a stream -------------*- C++ -*-===//

#ifndef SPMD_NCCL_WATCH_H
#define SPMD_NCCL_WATCH_H

#include "spmd/communicator.h"

#include <array>
#include <chrono>
#include <mutex>

#include <nccl.h>

namespace spmd {

class Watchers;

/// The operators of one communicator that are on its stream. A thread of the
/// process looks at all watches: when NCCL reports an error, or the oldest
/// operator has not ended within spmd::deadline(), it dumps the flight record,
/// revokes the communicator where NCCL can, and aborts it if it is ours. What
/// is on the stream then ends, whoever waits for the stream goes on, and the
/// next operator, and each wait for an earlier one, throws.
class Watch {
public:
  /// \p Owned: nobody else destroys \p Comm, and its calls do not block.
  /// \p Device is that of \p Comm.
  Watch(ncclComm_t Comm, int Device, bool Owned);
  ~Watch();
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  /// Waits for what is on the streams, to its end or the deadline.
  void drain();
  /// Nobody looks any more: what was watched may be destroyed. Whether it has
  /// been aborted, and is gone.
  bool stop();

  /// An Error with the first cause if the communicator has failed.
  void checkWell(const Call &C);
  bool hasFailed();
  /// Whether kernels may still be at work on what has failed: it could neither
  /// be revoked nor aborted.
  bool mayHold();
  /// NCCL is called for \p C from here to \c leave, and may wait for ranks
  /// itself, as when they connect. Meanwhile the communicator is given up for
  /// that alone, so that none is freed just before a call. Fails as checkWell.
  void enter(const Call &C);
  /// What was entered has been put on \p On, last of all, if it \p IsThere.
  /// Allocates nothing. Of more than are kept the first ones count; a stream
  /// that is being captured runs later, or never.
  void leave(cudaStream_t On, bool IsThere);
  /// What was entered goes on without its caller: waits until NCCL is done with
  /// it. Past the deadline the communicator is given up.
  ncclResult_t await();

  /// From the watching thread.
  void look();

private:
  using Clock = std::chrono::steady_clock;
  /// What a message needs of a call.
  struct Said {
    rules::OperatorKind Op;
    bool Mean;
    DType Type;
    Shape Whole;
    Site At;
  };
  struct Entry {
    Said What;
    cudaEvent_t Done;
  };

  void add(cudaStream_t On);
  /// What NCCL has found wrong meanwhile, of \p What.
  bool isWell(const Said &What);
  void fail(const Said &What, const std::string &Why);

  const ncclComm_t Comm;
  const bool Owned;
  /// The watching thread has none of its own.
  const int Device;
  std::shared_ptr<Watchers> By;
  std::mutex Lock;
  /// In the program; -1 until the first operator.
  int Rank = -1;
  /// A ring, with its events.
  std::array<Entry, 32> Entries{};
  std::size_t First = 0, Count = 0;
  /// When the oldest entry became the oldest.
  Clock::time_point Since;
  /// For what NCCL is called, while it is, and since when.
  Said Calls;
  bool IsCalling = false;
  /// One that is in a graph runs without being called.
  bool IsInGraph = false;
  Said InGraph;
  Clock::time_point CallsSince;
  std::string Cause;
  bool Aborted = false, Revoked = false;
};

} // namespace spmd

#endif // SPMD_NCCL_WATCH_H
