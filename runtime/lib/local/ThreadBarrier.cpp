#include "ThreadBarrier.h"

#include "../Awake.h"
#include "../CallHash.h"
#include "../RankList.h"
#include "World.h"

#include "spmd/shapes.h"

#include <cstring>

namespace spmd::local {

ThreadBarrier::ThreadBarrier(World &In, std::vector<int> Of)
    : In(In), Members(std::move(Of)), Seats(Members.size()) {
  for (Table &T : Tables) {
    T.Offers.resize(Members.size());
    T.Calls.resize(Members.size());
    T.Copies.resize(Members.size());
  }
}

void ThreadBarrier::come(int Rank, const Call &C, const Offer &Mine,
                         std::size_t Bytes) {
  ++Seats[static_cast<std::size_t>(Rank)].Operators;
  Table &T = at(Rank);
  const auto Self = static_cast<std::size_t>(Rank);
  T.Offers[Self] = {detail::hashOf(C), Mine};
  T.Calls[Self] = {C.Op, C.Type, C.Src, C.Dst, C.Whole, C.Mean, C.At, C.Root};
  if (Bytes)
    std::memcpy(T.Copies[Self].Bytes, Mine.In, Bytes);
  wait(Rank, &C);
  checkSame(Rank, C);
}

// Who has come will leave: the others' buffers are not let go before.
void ThreadBarrier::leave(int Rank) { wait(Rank, nullptr); }

/// All ranks see the same offers, so all find the same disagreement.
void ThreadBarrier::checkSame(int Rank, const Call &Mine) {
  const Table &T = at(Rank);
  for (std::size_t R = 1; R < Members.size(); ++R) {
    const bool IsSame = T.Offers[R].Hash == T.Offers[0].Hash;
    if (IsSame &&
        (Rank != 0 || detail::isSamePlace(T.Calls[0].At, T.Calls[R].At)))
      continue;
    const auto Text = [&Mine](const Said &S) {
      return describeCall({S.Op,
                           Mine.On,
                           S.Src,
                           S.Dst,
                           S.Type,
                           {},
                           S.At,
                           S.Whole,
                           S.Mean,
                           S.Root}) +
             spmd::at(S.At);
    };
    const std::string Who = "rank " + std::to_string(Members[0]) + " calls " +
                            Text(T.Calls[0]) + ", rank " +
                            std::to_string(Members[R]) + " " + Text(T.Calls[R]);
    if (!IsSame)
      failOn(Mine, "the ranks disagree: " + Who);
    detail::warnOfPlaces(Who);
  }
}

std::string ThreadBarrier::whoWillNotCome(std::uint64_t Round) const {
  if (!Abandoned.empty())
    return Abandoned;
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (Seats[R].Came.load() <= Round)
      if (std::string Why = In.whyAbsent(Members[R]); !Why.empty())
        return Why;
  return {};
}

std::string ThreadBarrier::whoIsMissing(std::uint64_t Round) const {
  std::string Who;
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (Seats[R].Came.load() <= Round)
      detail::addRank(Who, Members[R]);
  return Who;
}

/// The last one opens the next round for all, unless somebody has given up.
void ThreadBarrier::open(std::uint64_t Round) {
  std::uint64_t Full = Round << CountBits | Members.size();
  if (!State.compare_exchange_strong(Full, (Round + 1) << CountBits))
    return;
  if (Sleepers.load() == 0)
    return;
  {
    const std::lock_guard<std::mutex> Held(Lock);
  }
  Changed.notify_all();
}

bool ThreadBarrier::giveUp(std::uint64_t Round, const std::string &Why) {
  std::uint64_t Now = State.load();
  while (Now >> CountBits == Round)
    if (State.compare_exchange_weak(Now, Now | Broken)) {
      Cause = Why;
      Changed.notify_all();
      return true;
    }
  return false;
}

void ThreadBarrier::wait(int Rank, const Call *Blamed) {
  Seat &Mine = Seats[static_cast<std::size_t>(Rank)];
  const std::uint64_t Round = Mine.Came.load(std::memory_order_relaxed);
  Mine.Came.store(Round + 1, std::memory_order_release);
  const std::uint64_t Others = State.fetch_add(1);
  if (Others & Broken) {
    State.fetch_sub(1);
  } else {
    if ((Others & ((1 << CountBits) - 1)) + 1 == Members.size())
      open(Round);
    const auto IsDone = [&] { return isOpen(Round); };
    if (detail::spin(IsDone) || detail::giveWay(IsDone))
      return;
  }
  sleep(Round, Blamed);
}

void ThreadBarrier::sleep(std::uint64_t Round, const Call *Blamed) {
  const auto Until = std::chrono::steady_clock::now() + In.deadline();
  std::unique_lock<std::mutex> Held(Lock);
  ++Sleepers;
  bool Late = false;
  while (!isOpen(Round) && !(State.load() & Broken)) {
    if (!Blamed) {
      Changed.wait(Held);
      continue;
    }
    std::string Why = whoWillNotCome(Round);
    if (Why.empty() && Late)
      Why = whoIsMissing(Round) + " did not come within " +
            std::to_string(In.deadline().count()) + " ms";
    if (Why.empty())
      Late = Changed.wait_until(Held, Until) == std::cv_status::timeout;
    else
      giveUp(Round, Why);
  }
  --Sleepers;
  if (isOpen(Round))
    return;
  const std::string Why = Cause;
  Held.unlock();
  failOn(*Blamed, Why);
}

void ThreadBarrier::abandon(const std::string &Why) {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Abandoned = Why;
  }
  Changed.notify_all();
}

void ThreadBarrier::wake() {
  {
    const std::lock_guard<std::mutex> Held(Lock);
  }
  Changed.notify_all();
}

} // namespace spmd::local
