//===- Gathering.h - Ranks come together before data moves ------*- C++ -*-===//
//
// MPI's collectives wait for ever, and once one has begun its buffers are
// MPI's. So ranks first come together in a way that can be given up, over
// messages of a few bytes, and compare what they are about to do: a rank that
// is late, is gone or does something else is an Error on all before any buffer
// is touched.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_MPI_GATHERING_H
#define SPMD_MPI_GATHERING_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

namespace spmd::mpi {

using Clock = std::chrono::steady_clock;

/// What ranks come together for.
class Matter {
public:
  virtual ~Matter() = default;
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

class Gathering {
public:
  /// \p Members are the ranks in MPI_COMM_WORLD of those who meet, this process
  /// is number \p Self of them. Messages go over \p Comm, where those ranks are
  /// \p InComm, with tags from \p FirstTag on.
  Gathering(MPI_Comm Comm, std::vector<int> InComm, std::vector<int> Members,
            int Self, int FirstTag);
  ~Gathering();
  Gathering(const Gathering &) = delete;
  Gathering &operator=(const Gathering &) = delete;

  /// Returns when all have come to \p M. Allocates nothing.
  void come(const Matter &M);
  /// An Error if anything in this process has failed.
  void checkWell(const Matter &M) const;
  bool isDone(const Matter &M, MPI_Request *Requests, int Count) const;
  /// Waits until \p Count of \p Requests are done, which are of what all have
  /// come to.
  void await(const Matter &M, MPI_Request *Requests, int Count);
  /// \p M has failed here, and all processes are to know.
  [[noreturn]] void fail(const Matter &M, const std::string &Cause) const;

private:
  /// What goes over the wire; the sender is still of one mind with all that it
  /// has heard of.
  struct Word {
    std::uint64_t Hash = 0, Place = 0;
    std::uint32_t Agrees = 1, IsOnePlace = 1;
  };
  struct Round {
    Word In, Out;
    MPI_Request Requests[2];
  };

  std::string waitsFor(const Matter &M) const {
    return M.text() + " over " + M.where();
  }
  /// Answers who asks, and fails if somebody has.
  void listen(const Matter &M);
  [[noreturn]] void awaitVerdict(const Matter &M);
  [[noreturn]] void join(const Matter &M, const std::string &Cause, int Of,
                         std::uint64_t Members) const;
  [[noreturn]] void giveUp(const Matter &M) const;
  [[noreturn]] void disagree(const Matter &M);

  const MPI_Comm Comm;
  const std::vector<int> InComm, Members;
  const std::uint64_t Name;
  const int Self, FirstTag;
  std::vector<Round> Rounds;
  /// One of the members that has begun to give up, or -1.
  int Asker = -1;
  /// When this rank came last: nobody can have given it up for half the
  /// deadline after that.
  Clock::time_point Last;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_GATHERING_H
