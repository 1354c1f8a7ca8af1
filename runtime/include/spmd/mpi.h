//===- mpi.h - MPI communicators as axes ------------------------*- C++ -*-===//
//
// Connects the axes of a mesh over MPI, and makes axes of communicators. MPI
// has been initialised by the program. Link spmd::mpi.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_MPI_H
#define SPMD_MPI_H

#include "spmd/backend.h"
#include "spmd/work.h"

#include <mpi.h>

namespace spmd {

namespace mpi {
struct Exchange;
class CheckedBarrier;
class OperatorCall;
} // namespace mpi

/// An axis over an MPI communicator, in host memory. What MPI reports is an
/// Error with its own text, not an abort. A part of more than 2^31 - 1 elements
/// is an Error, but for sums. A reduce_scatter of parts of 8 KiB and more is an
/// exchange, after which every rank sums its part in the order of ranks, halves
/// in float: MPI's own would sum all parts on one rank.
///
/// Before data moves ranks come together and compare what they call: one that
/// does something else, does not come within spmd::deadline(), or has failed,
/// is an Error on all of them. Operators that are started do not come together;
/// those of all ranks are compared by the next one that does, and with
/// SPMD_CHECK=1 at once. After an error every operator of the process fails at
/// once with the first cause, and MPI_Finalize may wait for ever: end by
/// MPI_Abort. A process that is gone in the middle of an operator leaves the
/// others inside MPI; past the deadline they say so, dump their flight records
/// and end. Raw buffers of operators that were started and have failed stay
/// MPI's; those of tensors are kept. One thread at a time.
class MpiCommunicator : public Communicator {
public:
  /// Takes a duplicate of \p Comm: calls of the program on it do not mix with
  /// ours. All its ranks do so together. Where MPI has no number for one more
  /// communicator, that is an Error.
  explicit MpiCommunicator(MPI_Comm Comm);
  /// \p Comm itself, and frees it.
  struct Owned {};
  MpiCommunicator(MPI_Comm Comm, Owned);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator &) = delete;
  MpiCommunicator &operator=(const MpiCommunicator &) = delete;

  int size() const override { return Ranks; }
  int rank() const override { return Self; }
  const char *kind() const override { return "mpi"; }
  MPI_Comm comm() const { return Comm; }

  void allReduce(const Call &C, const void *In, void *Out,
                 std::int64_t Count) override;
  void allGather(const Call &C, const void *In, void *Out,
                 const Counts &Parts) override;
  void reduceScatter(const Call &C, const void *In, void *Out,
                     const Counts &Parts) override;
  void allToAll(const Call &C, const void *In, const Counts &Sent, void *Out,
                const Counts &Received) override;

  /// Nonblocking calls; MPI goes on with them in later calls of MPI, done() of
  /// the handle among them.
  void start(Started &S) override;
  void finish(Started &S) override;
  bool isDone(Started &S) override;
  void settle() override {}
  bool mayHold() const override;

private:
  struct Requests;
  void open();
  void come(const Call &C);
  void *prepareBroadcast(const Call &C, const void *In, void *Out);
  void begin(Started &S, Requests &To);
  void beginReduceScatter(Started &S, Requests &To);
  void exchangeAndSum(const Call &C, const void *In, char *Out,
                      const Counts &Parts);

  MPI_Comm Comm = MPI_COMM_NULL;
  int Ranks = 0;
  int Self = 0;
  /// Of what has been started: compared by the next operator that is not.
  std::uint64_t StartedHash = 0, StartedPlaces = 0, StartedCount = 0;
  std::unique_ptr<mpi::CheckedBarrier> Together;
  std::unique_ptr<mpi::Exchange> Kept;
};

/// Connects the axes of a mesh over the ranks of MPI_COMM_WORLD. Only the ranks
/// of an axis take part.
std::shared_ptr<Backend> mpi_backend();

/// Over the ranks of \p Of, which keeps it until it is freed: the first call,
/// which all its ranks make, duplicates \p Of, the others find that. An Error
/// where it is MPI_COMM_NULL or lies between two groups.
std::shared_ptr<Communicator> mpi_communicator(MPI_Comm Of);

#ifdef OPEN_MPI // elsewhere a communicator is an int
template <> struct AxisSource<MPI_Comm> {
  static std::shared_ptr<Communicator> communicator(MPI_Comm C) {
    return mpi_communicator(C);
  }
};
#endif

} // namespace spmd

#endif // SPMD_MPI_H
