//===- nccl.h - NCCL communicators as axes ----------------------*- C++ -*-===//
//
// Makes ncclComm_t convertible to spmd::Axis, and connects the axes of a mesh
// over NCCL. Link spmd::nccl.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_NCCL_H
#define SPMD_NCCL_H

#include "spmd/backend.h"
#include "spmd/stream.h"
#include "spmd/work.h"

#include <functional>

#include <nccl.h>

namespace spmd {

class Job;
class Watch;
struct Checked;

/// While it lives, what this thread calls over NCCL, waits among it, goes to
/// \p Stream instead of the communicator's own. Tensors always go to their
/// device's current stream.
///
///     const auto Here = spmd::on(Stream);
///     all_reduce(x, tp, spmd::P, spmd::R);
///
/// A null stream is an Error: say cudaStreamLegacy or cudaStreamPerThread.
class [[nodiscard]] OnStream {
public:
  explicit OnStream(cudaStream_t Stream) : Here(checked(Stream)) {}

private:
  static cudaStream_t checked(cudaStream_t Stream) {
    if (!Stream)
      detail::fail("spmd::on: the stream is null: say cudaStreamLegacy or "
                   "cudaStreamPerThread for one of CUDA's own");
    return Stream;
  }
  const detail::StreamScope Here;
};
[[nodiscard]] inline OnStream on(cudaStream_t Stream) {
  return OnStream(Stream);
}

/// Where memory for packing is from, in the order of a stream: what is freed on
/// one may be had there at once. As it is, from a pool of the device's own.
struct DeviceAllocator {
  /// Throws where there is none.
  void *(*Allocate)(std::size_t Bytes, cudaStream_t On) = nullptr;
  void (*Free)(void *At, cudaStream_t On) = nullptr;
};
const DeviceAllocator &device_allocator();
/// For all threads, before the first operator; without functions, as it was.
void set_device_allocator(const DeviceAllocator &By);

/// An axis over an ncclComm_t. Buffers are in device memory; operators are put
/// on the stream and return at once, as NCCL's own do. Operators that go to
/// several streams run in the order of the calls, as NCCL asks. Whether an
/// operator failed on the device is said by the next one. One that does not end
/// within spmd::deadline() after those before it is given up: the communicator
/// is revoked (from NCCL 2.28.7 on) and, where the library made it, aborted, so
/// that who waits for the stream goes on; what its buffers hold then means
/// nothing, and each later operator is an Error with the first cause.
class NcclCommunicator : public Communicator {
public:
  /// \p Comm stays its owner's and must outlive the axis. An invalid one is an
  /// Error with NCCL's own text.
  explicit NcclCommunicator(ncclComm_t Comm, cudaStream_t Stream = nullptr)
      : NcclCommunicator(Comm, Stream, /*Owned=*/false) {}
  ~NcclCommunicator() override;

  int size() const override { return Ranks; }
  int rank() const override { return Self; }
  const char *kind() const override { return "nccl"; }
  Memory &memory() override;
  ncclComm_t comm() const { return Comm; }
  cudaStream_t stream() const { return Stream; }

  /// By ncclAvg.
  bool averages() const override { return true; }
  void allReduce(const Call &C, const void *In, void *Out,
                 std::int64_t Count) override;
  void allGather(const Call &C, const void *In, void *Out,
                 const Counts &Parts) override;
  void reduceScatter(const Call &C, const void *In, void *Out,
                     const Counts &Parts) override;
  void allToAll(const Call &C, const void *In, const Counts &Sent, void *Out,
                const Counts &Received) override;

  /// On a stream of their own, after what \c stream() has been given; the wait
  /// puts them before what it is given next, and does not hold the host up.
  /// What is known to have failed by then is thrown by the wait.
  void start(Started &S) override;
  void finish(Started &S) override;
  bool isDone(Started &S) override;
  /// Operators wait on their streams for those before them.
  void settle() override {}
  bool mayHold() const override;

  /// Calls NCCL about the communicator itself, as for an operator on \p On: in
  /// the order of these and under the deadline. What fails is an Error.
  void call(const Axis &On, Site At,
            const std::function<void(const Checked &)> &Do);
  /// Until the operators are done, or have failed.
  void drain();

  /// \p Owned: \p Comm does not block, and ends with this.
  NcclCommunicator(ncclComm_t Comm, cudaStream_t Stream, bool Owned);
  bool hasFailed() const;

private:
  struct Side;

  /// The last operator, for those on other streams.
  struct Latest {
    cudaEvent_t Event = nullptr;
    cudaStream_t On = nullptr;
    unsigned long long Capture = 0;
  };
  Latest &latest(unsigned long long Capture) { return Last[Capture != 0]; }
  template <class Fn> void issue(const Call &C, Fn Do);
  bool isOwn(cudaStream_t S) const;
  void comeAfterLatest(cudaStream_t On);
  void setLatest(cudaStream_t On);

  ncclComm_t Comm;
  const bool Owned;
  cudaStream_t Stream;
  /// While an operator is started, which goes to the side stream.
  bool IsStarting = false;
  /// Of those that ran when they were called, and of those in a graph.
  Latest Last[2];
  std::unique_ptr<Memory> Buffers;
  std::unique_ptr<Side> Beside;
  std::unique_ptr<Watch> Over;
  int Ranks = 0;
  int Self = 0;
};

/// Connects the axes of a mesh over the ranks of \p World, which stays its
/// owner's, by ncclCommSplit: all ranks of the mesh use an axis first at the
/// same place of the program, and NCCL waits for those that do not, without an
/// end. Operators go to \p Stream.
std::shared_ptr<Backend>
nccl_backend(ncclComm_t World, cudaStream_t Stream = nullptr,
             const ncclConfig_t &Config = NCCL_CONFIG_INITIALIZER);

/// The same for the ranks of \p J, on the device that is current: set it first,
/// as by cudaSetDevice(J.localRank()). Ranks are processes or the threads of
/// run_local, each with a device of its own. All ranks call it; an axis is
/// connected by its own ranks alone, by an id that the first of them sends
/// through the job's store. A rank that does not come there within
/// spmd::deadline() is an Error. After a failure, another backend connects
/// anew.
/// \p Config: what NCCL is asked for, such as the number of CTAs or the traffic
/// class, in all communicators that are made; they never block.
std::shared_ptr<Backend>
nccl_backend(const Job &J, cudaStream_t Stream = nullptr,
             const ncclConfig_t &Config = NCCL_CONFIG_INITIALIZER);

/// To be made once, as it holds the watch and the memory for packing: of an
/// axis that was made for one call neither outlives it.
template <> struct AxisSource<ncclComm_t> {
  static std::shared_ptr<Communicator> communicator(ncclComm_t C) {
    return std::make_shared<NcclCommunicator>(C);
  }
};

} // namespace spmd

#endif // SPMD_NCCL_H
