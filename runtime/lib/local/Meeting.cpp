#include "Meeting.h"

#include "World.h"

#include "spmd/shapes.h"

#include <thread>

namespace spmd::local {
namespace {

bool same(const Call &A, const Call &B) {
  return A.Op == B.Op && A.Type == B.Type && A.Whole == B.Whole &&
         A.Src == B.Src && A.Dst == B.Dst;
}

} // namespace

void Meeting::come(int Rank, const Offer &Mine) {
  Offers[static_cast<std::size_t>(Rank)] = Mine;
  wait(Rank, Mine.C);
  checkSame(Rank);
}

// Who has come will leave: the others' buffers are not let go before.
void Meeting::leave(int Rank) { wait(Rank, nullptr); }

/// All ranks see the same offers, so all find the same disagreement.
void Meeting::checkSame(int Rank) {
  const Call &First = *Offers[0].C;
  for (std::size_t R = 1; R < Offers.size(); ++R) {
    const Call &Other = *Offers[R].C;
    if (same(First, Other))
      continue;
    const std::string Text =
        "the ranks disagree: rank " + std::to_string(Members[0]) + " calls " +
        describeCall(First) + at(First.At) + ", rank " +
        std::to_string(Members[R]) + " " + describeCall(Other) + at(Other.At);
    const Call &Mine = *Offers[static_cast<std::size_t>(Rank)].C;
    leave(Rank);
    failOn(Mine, Text);
  }
}

std::string Meeting::whoWillNotCome() const {
  if (!Abandoned.empty())
    return Abandoned;
  const std::uint64_t Round = Opened.load();
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (Came[R].load() <= Round)
      if (std::string Why = In.whyAbsent(Members[R]); !Why.empty())
        return Why;
  return {};
}

std::string Meeting::whoIsMissing() const {
  const std::uint64_t Round = Opened.load();
  std::string Who;
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (Came[R].load() <= Round)
      Who += (Who.empty() ? "rank " : ", rank ") + std::to_string(Members[R]);
  return Who;
}

/// The last one opens the round for all, unless somebody has given up.
void Meeting::open() {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    if (!Broken.empty())
      return;
    Opened.fetch_add(1, std::memory_order_release);
  }
  Changed.notify_all();
}

void Meeting::wait(int Rank, const Call *Blamed) {
  const std::uint64_t Round = Came[static_cast<std::size_t>(Rank)].fetch_add(1);
  if (Arrived.fetch_add(1) + 1 == (Round + 1) * Members.size())
    open();
  // With a core for each rank the others are about to come.
  if (Members.size() <= std::thread::hardware_concurrency())
    for (int Spin = 0; Spin < 2000 && !isOpen(Round); ++Spin)
      ;
  if (isOpen(Round))
    return;
  const auto Until = std::chrono::steady_clock::now() + In.deadline();
  std::unique_lock<std::mutex> Held(Lock);
  while (!isOpen(Round)) {
    if (!Blamed) {
      Changed.wait(Held);
      continue;
    }
    if (Broken.empty())
      Broken = whoWillNotCome();
    if (Broken.empty() &&
        Changed.wait_until(Held, Until) == std::cv_status::timeout &&
        !isOpen(Round) && Broken.empty())
      Broken = whoIsMissing() + " did not come within " +
               std::to_string(In.deadline().count()) + " ms";
    if (!Broken.empty()) {
      const std::string Why = Broken;
      Held.unlock();
      Changed.notify_all();
      failOn(*Blamed, Why);
    }
  }
}

void Meeting::abandon(const std::string &Why) {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Abandoned = Why;
  }
  Changed.notify_all();
}

void Meeting::wake() {
  {
    const std::lock_guard<std::mutex> Held(Lock);
  }
  Changed.notify_all();
}

} // namespace spmd::local
