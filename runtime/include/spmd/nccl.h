//===- nccl.h - NCCL communicators as axes ----------------------*- C++ -*-===//
//
// Makes ncclComm_t convertible to spmd::Axis, and connects the axes of a mesh
// over NCCL. Link spmd::nccl.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_NCCL_H
#define SPMD_NCCL_H

#include "spmd/backend.h"
#include "spmd/work.h"

#include <nccl.h>

namespace spmd {

class Job;
class Watch;

/// An axis over an ncclComm_t. Buffers are in device memory; operators are put
/// on the stream and return at once, as NCCL's own do. Whether an operator
/// failed on the device is said by the next one. One that does not end within
/// spmd::deadline() after those before it is given up: the communicator is
/// revoked (from NCCL 2.28.7 on) and, where the library made it, aborted, so
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
  /// Puts what has been started before what \c stream() is given next: NCCL
  /// takes operators of one communicator in one order.
  void settle() override;
  bool mayHold() const override;

  /// \p Owned: \p Comm does not block, and ends with this.
  NcclCommunicator(ncclComm_t Comm, cudaStream_t Stream, bool Owned);
  bool hasFailed() const;

private:
  struct Side;

  ncclComm_t Comm;
  const bool Owned;
  /// Where operators go: the side stream while one is started.
  cudaStream_t Stream, To;
  std::unique_ptr<Memory> Device;
  std::unique_ptr<Side> Beside;
  std::unique_ptr<Watch> Over;
  int Ranks = 0;
  int Self = 0;
};

/// Connects the axes of a mesh over the ranks of \p World, which stays its
/// owner's, by ncclCommSplit: all ranks of the mesh use an axis first at the
/// same place of the program, and NCCL waits for those that do not, without an
/// end. Operators go to \p Stream.
std::shared_ptr<Backend> nccl_backend(ncclComm_t World,
                                      cudaStream_t Stream = nullptr);

/// The same over a communicator of all ranks of \p J, made on the current
/// device with an id that rank 0 sends through the job's store: set the device
/// first, as by cudaSetDevice(J.localRank()). All ranks call it. A rank that
/// does not come within spmd::deadline(), here or where an axis is used first,
/// is an Error.
std::shared_ptr<Backend> nccl_backend(const Job &J,
                                      cudaStream_t Stream = nullptr);

/// To be made once, as it holds the watch and the memory for packing: of an
/// axis that was made for one call neither outlives it.
template <> struct AxisSource<ncclComm_t> {
  static std::shared_ptr<Communicator> communicator(ncclComm_t C) {
    return std::make_shared<NcclCommunicator>(C);
  }
};

} // namespace spmd

#endif // SPMD_NCCL_H
