//===- ThreadBarrier.h - Threads that wait for each other -------*- C++ -*-===//

#ifndef SPMD_LIB_LOCAL_THREADBARRIER_H
#define SPMD_LIB_LOCAL_THREADBARRIER_H

#include "spmd/communicator.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace spmd::local {

class World;

/// What a rank brings to an operator; the others read it until all leave.
struct Offer {
  const void *In = nullptr;
  void *Out = nullptr;
  /// Of an all_to_all, where the parts for the others begin.
  const Counts *Sent = nullptr;
};

/// The ranks of one axis, operator after operator. All come and see what each
/// brought. Those who read each other's buffers then all leave together;
/// buffers of at most \c Small bytes are brought along as copies, so that no
/// one has to wait a second time.
class ThreadBarrier {
public:
  static constexpr std::size_t Small = 256;

  ThreadBarrier(World &In, std::vector<int> Members);

  const std::vector<int> &members() const { return Members; }
  /// Of the operator at which \p Reader is.
  const Offer &offer(int Reader, int Rank) const {
    return at(Reader).Offers[static_cast<std::size_t>(Rank)].Buffers;
  }
  /// The copy that \p Rank brought to the operator at which \p Reader is.
  const void *copy(int Reader, int Rank) const {
    return at(Reader).Copies[static_cast<std::size_t>(Rank)].Bytes;
  }

  /// Brings \p Mine, and \p Bytes of its input as a copy, as \p Rank and waits
  /// until all have come. An Error on all ranks when they call different
  /// operators, when one does not come in time, has ended or failed.
  void come(int Rank, const Call &C, const Offer &Mine, std::size_t Bytes = 0);
  /// Waits until all are done with the offers.
  void leave(int Rank);
  /// A rank will not make up for what it gave up: whoever waits for a round to
  /// open fails with \p Why.
  void abandon(const std::string &Why);
  /// A rank of the world has ended: those who wait look again.
  void wake();

private:
  /// What a rank says for messages: its call may have returned when others
  /// look at it.
  struct alignas(64) Said {
    rules::OperatorKind Op = rules::OperatorKind::AllReduce;
    DType Type = DType::F32;
    Placement Src{rules::LocalType::R}, Dst{rules::LocalType::R};
    Shape Whole;
    bool Mean = false;
    int Root = 0;
  };
  /// What all others look at: one cache line, as each moves to their cores.
  struct alignas(64) Brought {
    /// Rounds that the rank has come to, a round being one wait of all.
    std::atomic<std::uint64_t> Came{0};
    std::uint64_t Hash = 0;
    Offer Buffers;
    Site At;
  };
  static_assert(sizeof(Brought) == 64);
  /// One operator. Two take turns: who comes to the next one has been at this
  /// one with all others, so nobody reads the one before any more.
  struct alignas(64) Copy {
    char Bytes[Small];
  };
  struct Table {
    std::vector<Brought> Offers;
    std::vector<Said> Calls;
    std::vector<Copy> Copies;
  };
  /// What one rank has come to; it alone looks here.
  struct alignas(64) Seat {
    std::uint64_t Rounds = 0, Operators = 0;
  };

  Table &at(int Rank) {
    return Tables[Seats[static_cast<std::size_t>(Rank)].Operators % 2];
  }
  const Table &at(int Rank) const {
    return Tables[Seats[static_cast<std::size_t>(Rank)].Operators % 2];
  }
  /// Until all have come to this round; with a call to blame, no longer than
  /// the deadline.
  void wait(int Rank, const Call *Blamed);
  /// The slow way, when it may be long.
  void sleep(int Rank, std::uint64_t Round, const Call *Blamed);
  /// Ends all waiting for \p Round, unless all have come to it. Under the lock.
  void giveUp(int Rank, std::uint64_t Round, const std::string &Why);
  void checkSame(int Rank, const Call &Mine);
  /// Of the operator at which \p Reader is.
  bool hasCome(int Reader, std::size_t Rank, std::uint64_t Round) const {
    return at(Reader).Offers[Rank].Came.load() > Round;
  }
  bool haveCome(int Reader, std::uint64_t Round) const;
  std::string whoIsMissing(int Reader, std::uint64_t Round) const;
  std::string whoWillNotCome(int Reader, std::uint64_t Round) const;

  World &In;
  const std::vector<int> Members;
  Table Tables[2];
  std::vector<Seat> Seats;
  /// From this round on nothing works here any more. Who has seen all come
  /// looks here after; who gives up writes here and looks again who has come:
  /// so one of them sees the other, and under the lock it is settled who is
  /// right.
  alignas(64) std::atomic<std::uint64_t> BrokenFrom{~std::uint64_t(0)};
  std::atomic<int> Sleepers{0};
  std::mutex Lock;
  std::condition_variable Changed;
  /// Why it is broken, and why it will be at the next wait.
  std::string Cause, Abandoned;
};

} // namespace spmd::local

#endif // SPMD_LIB_LOCAL_THREADBARRIER_H
