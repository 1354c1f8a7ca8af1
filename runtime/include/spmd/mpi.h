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

/// An axis over an MPI communicator, in host memory. What MPI reports is an
/// Error with its own text, not an abort. A part of more than 2^31 - 1 elements
/// is an Error, but for sums.
class MpiCommunicator : public Communicator {
public:
  /// Takes a duplicate of \p Comm: calls of the program on it do not mix with
  /// ours. All its ranks do so together.
  explicit MpiCommunicator(MPI_Comm Comm);
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

private:
  struct Requests;
  void begin(const Call &C, const Transfer &Data, Requests &To);

  MPI_Comm Comm = MPI_COMM_NULL;
  int Ranks = 0;
  int Self = 0;
  /// Counts and offsets as MPI takes them, kept between calls.
  std::vector<int> SentCounts, SentOffsets, ReceivedCounts, ReceivedOffsets;
};

/// Connects the axes of a mesh over the ranks of MPI_COMM_WORLD. Only the ranks
/// of an axis take part.
std::shared_ptr<Backend> mpi_backend();

#ifdef OPEN_MPI // elsewhere a communicator is an int
template <> struct AxisSource<MPI_Comm> {
  static std::shared_ptr<Communicator> communicator(MPI_Comm C) {
    return std::make_shared<MpiCommunicator>(C);
  }
};
#endif

} // namespace spmd

#endif // SPMD_MPI_H
