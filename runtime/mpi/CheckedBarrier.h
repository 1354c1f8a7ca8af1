//===- CheckedBarrier.h - Ranks agree before data moves ---------*- C++ -*-===//
//
// MPI's collectives wait for ever, and once one has begun its buffers are
// MPI's. So ranks first come together in a way that can be given up, in memory
// that they share or over messages of a few bytes, and compare what they are
// about to do: a rank that is late, is gone or does something else is an Error
// on all before any buffer is touched.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_MPI_CHECKEDBARRIER_H
#define SPMD_MPI_CHECKEDBARRIER_H

#include "SharedWords.h"

#include <chrono>
#include <string>
#include <vector>

#include <mpi.h>

namespace spmd::mpi {

using Clock = std::chrono::steady_clock;

/// What ranks wait for each other with: an operator, or connecting an axis.
class Operation {
public:
  virtual ~Operation() = default;
  /// Equal where it is the same.
  virtual std::uint64_t hash() const = 0;
  /// Equal where it is at the same place of the program.
  virtual std::uint64_t place() const { return 0; }
  /// "all_reduce(P -> R) of f32[8] at train.cpp:12".
  virtual std::string text() const = 0;
  /// "axis 'tp' of 4 ranks".
  virtual std::string where() const = 0;
  /// Throws.
  [[noreturn]] virtual void fail(const std::string &Cause) const = 0;
};

std::uint64_t hashOf(const std::vector<int> &Ranks);

class CheckedBarrier {
public:
  /// \p Members are the ranks in MPI_COMM_WORLD of those who meet, this process
  /// is number \p Self of them. They meet in \p Shared; where that is null, by
  /// messages over \p Comm, where those ranks are \p InComm, with tags from
  /// \p FirstTag on.
  CheckedBarrier(MPI_Comm Comm, std::vector<int> InComm,
                 std::vector<int> Members, int Self, int FirstTag,
                 std::unique_ptr<SharedWords> Shared = nullptr);
  ~CheckedBarrier();
  CheckedBarrier(const CheckedBarrier &) = delete;
  CheckedBarrier &operator=(const CheckedBarrier &) = delete;

  /// Returns when all have come to \p O. Allocates nothing.
  void arriveAndWait(const Operation &O);
  /// An Error if anything in this process has failed.
  void checkWell(const Operation &O) const;
  bool isDone(const Operation &O, MPI_Request *Requests, int Count) const;
  /// Waits until \p Count of \p Requests are done, which are of what all have
  /// come to.
  void await(const Operation &O, MPI_Request *Requests, int Count);
  /// \p O has failed here, and all processes are to know.
  [[noreturn]] void fail(const Operation &O, const std::string &Cause) const;

private:
  /// What goes over the wire; the sender is still of one mind with all that it
  /// has heard of.
  struct Message {
    SharedWords::Word Said;
    std::uint32_t Agrees = 1, IsOnePlace = 1;
  };
  struct Round {
    Message In, Out;
    MPI_Request Requests[2];
  };

  /// What this rank says at \p O, and whether all say the same.
  Message meet(const Operation &O);
  Message exchange(const Operation &O, SharedWords::Word Mine);
  /// Until \p IsDone, or the deadline has passed.
  template <class Fn> void awaitThat(const Operation &O, Fn IsDone);
  std::string waitsFor(const Operation &O) const {
    return O.text() + " over " + O.where();
  }
  /// Answers who asks, and fails if somebody has.
  void listen(const Operation &O);
  [[noreturn]] void awaitVerdict(const Operation &O);
  [[noreturn]] void join(const Operation &O, const std::string &Cause, int Of,
                         std::uint64_t Members) const;
  [[noreturn]] void giveUp(const Operation &O) const;
  [[noreturn]] void disagree(const Operation &O);

  const MPI_Comm Comm;
  const std::vector<int> InComm, Members;
  const std::uint64_t Name;
  const int Self, FirstTag;
  const std::unique_ptr<SharedWords> Shared;
  std::vector<Round> Rounds;
  /// One of the members that has begun to give up, or -1.
  int Asker = -1;
  /// When this rank came last: nobody can have given it up for half the
  /// deadline after that.
  Clock::time_point Last;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_CHECKEDBARRIER_H
