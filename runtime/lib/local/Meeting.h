//===- Meeting.h - Threads that wait for each other -------------*- C++ -*-===//

#ifndef SPMD_LIB_LOCAL_MEETING_H
#define SPMD_LIB_LOCAL_MEETING_H

#include "spmd/communicator.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace spmd::local {

class World;

/// What a rank brings to an operator; the others read it until all leave.
struct Offer {
  const Call *C = nullptr;
  const void *In = nullptr;
  void *Out = nullptr;
  /// Of an all_to_all, where the parts for the others begin.
  const Counts *Sent = nullptr;
};

/// The ranks of one axis, operator after operator. All come, all see what each
/// brought, all leave together.
class Meeting {
public:
  Meeting(World &In, std::vector<int> Members)
      : In(In), Members(std::move(Members)), Offers(this->Members.size()),
        Came(this->Members.size()) {}

  const std::vector<int> &members() const { return Members; }
  const Offer &offer(int Rank) const {
    return Offers[static_cast<std::size_t>(Rank)];
  }

  /// Brings \p Mine as \p Rank and waits until all have come. An Error on all
  /// ranks when they call different operators, when one does not come in time,
  /// has ended or failed.
  void come(int Rank, const Offer &Mine);
  /// Waits until all are done with the offers.
  void leave(int Rank);
  /// A rank will not make up for what it gave up: whoever waits for a round to
  /// open fails with \p Why.
  void abandon(const std::string &Why);
  /// A rank of the world has ended: those who wait look again.
  void wake();

private:
  /// Until all have come to this round; with a call to blame, no longer than
  /// the deadline.
  void wait(int Rank, const Call *Blamed);
  void open();
  void checkSame(int Rank);
  bool isOpen(std::uint64_t Round) const {
    return Opened.load(std::memory_order_acquire) > Round;
  }
  std::string whoIsMissing() const;
  std::string whoWillNotCome() const;

  World &In;
  const std::vector<int> Members;
  std::vector<Offer> Offers;
  /// Rounds that each rank has come to; a round is one wait of all ranks.
  std::vector<std::atomic<std::uint64_t>> Came;
  std::atomic<std::uint64_t> Arrived{0}, Opened{0};
  std::mutex Lock;
  std::condition_variable Changed;
  /// Why nothing works here any more, and why it will not at the next wait.
  std::string Broken, Abandoned;
};

} // namespace spmd::local

#endif // SPMD_LIB_LOCAL_MEETING_H
