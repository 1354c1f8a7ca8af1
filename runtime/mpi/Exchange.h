//===- Exchange.h - Parts that go from rank to rank -------------*- C++ -*-===//

#ifndef SPMD_MPI_EXCHANGE_H
#define SPMD_MPI_EXCHANGE_H

#include "spmd/communicator.h"

#include <vector>

namespace spmd::mpi {

/// Whether \p Piece is rank \p Self's part of \p Whole, in its place.
bool isInPlace(const Call &C, const Counts &Parts, int Self, const void *Piece,
               const void *Whole);

/// What MPI_Alltoallv and its like take, and what is summed after it. Kept from
/// call to call, so that none allocates.
struct Exchange {
  explicit Exchange(int Ranks);

  /// Elements of the largest part.
  static std::int64_t longest(const Counts &Parts, int Ranks);
  /// Whether a reduce_scatter of these parts is to be an exchange. Open MPI
  /// sums all parts on one rank and hands them out; here every rank sends each
  /// of the others its part, and sums what it is sent. No part moves twice, and
  /// no rank does the work of the others.
  /// So does one whose result is its part of the operand: MPI takes no buffers
  /// that overlap.
  static bool pays(const Call &C, const Counts &Parts, bool InPlace);
  /// Elements of a part from \p Done on, at most \p Slice: those of \p In to
  /// their ranks, those of rank \p Self to \p Into, rank by rank. Its own stay
  /// where they are. Returns how many each rank sends it.
  int set(const Call &C, const Counts &Parts, int Self, const void *In,
          void *Into, std::int64_t Done, std::int64_t Slice);
  /// What has been exchanged, \p Count elements, in the order of ranks.
  void sum(DType Type, int Count, void *To) const;

  std::vector<int> Sent, SentOffsets, Received, ReceivedOffsets;

private:
  std::vector<const void *> Summands;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_EXCHANGE_H
