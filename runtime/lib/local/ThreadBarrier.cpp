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
    T.Offers = std::vector<Brought>(Members.size());
    T.Calls.resize(Members.size());
    T.Copies.resize(Members.size());
  }
}

void ThreadBarrier::come(int Rank, const Call &C, const Offer &Mine,
                         std::size_t Bytes) {
  ++Seats[static_cast<std::size_t>(Rank)].Operators;
  Table &T = at(Rank);
  const auto Self = static_cast<std::size_t>(Rank);
  Brought &B = T.Offers[Self];
  B.Hash = detail::hashOf(C);
  B.Buffers = Mine;
  B.At = C.At;
  T.Calls[Self] = {C.Op, C.Type, C.Src, C.Dst, C.Whole, C.Mean, C.Root};
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
        (Rank != 0 || detail::isSamePlace(T.Offers[0].At, T.Offers[R].At)))
      continue;
    const auto Text = [&](std::size_t Of) {
      const Said &S = T.Calls[Of];
      const Site At = T.Offers[Of].At;
      return describeCall({S.Op,
                           Mine.On,
                           S.Src,
                           S.Dst,
                           S.Type,
                           {},
                           At,
                           S.Whole,
                           S.Mean,
                           S.Root}) +
             spmd::at(At);
    };
    const std::string Who = "rank " + std::to_string(Members[0]) + " calls " +
                            Text(0) + ", rank " + std::to_string(Members[R]) +
                            " " + Text(R);
    if (!IsSame)
      failOn(Mine, "the ranks disagree: " + Who);
    detail::warnOfPlaces(Who);
  }
}

bool ThreadBarrier::haveCome(int Reader, std::uint64_t Round) const {
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (!hasCome(Reader, R, Round))
      return false;
  return true;
}

std::string ThreadBarrier::whoWillNotCome(int Reader,
                                          std::uint64_t Round) const {
  if (!Abandoned.empty())
    return Abandoned;
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (!hasCome(Reader, R, Round))
      if (std::string Why = In.whyAbsent(Members[R]); !Why.empty())
        return Why;
  return {};
}

std::string ThreadBarrier::whoIsMissing(int Reader, std::uint64_t Round) const {
  std::string Who;
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (!hasCome(Reader, R, Round))
      detail::addRank(Who, Members[R]);
  return Who;
}

void ThreadBarrier::giveUp(int Rank, std::uint64_t Round,
                           const std::string &Why) {
  const std::uint64_t Before = BrokenFrom.exchange(Round);
  if (haveCome(Rank, Round)) {
    BrokenFrom.store(Before);
    return;
  }
  Cause = Why;
  Changed.notify_all();
}

void ThreadBarrier::wait(int Rank, const Call *Blamed) {
  const std::uint64_t Round = Seats[static_cast<std::size_t>(Rank)].Rounds++;
  at(Rank).Offers[static_cast<std::size_t>(Rank)].Came.store(Round + 1);
  if (Sleepers.load())
    wake();
  std::size_t Next = 0;
  const auto IsDone = [&] {
    while (Next < Members.size() && hasCome(Rank, Next, Round))
      ++Next;
    return Next == Members.size();
  };
  if ((detail::spin(IsDone) || detail::giveWay(IsDone)) &&
      Round < BrokenFrom.load())
    return;
  sleep(Rank, Round, Blamed);
}

void ThreadBarrier::sleep(int Rank, std::uint64_t Round, const Call *Blamed) {
  const auto Until = std::chrono::steady_clock::now() + In.deadline();
  std::unique_lock<std::mutex> Held(Lock);
  ++Sleepers;
  bool Late = false;
  while (!haveCome(Rank, Round) && Round < BrokenFrom.load()) {
    if (!Blamed) {
      Changed.wait(Held);
      continue;
    }
    std::string Why = whoWillNotCome(Rank, Round);
    if (Why.empty() && Late)
      Why = whoIsMissing(Rank, Round) + " did not come within " +
            std::to_string(In.deadline().count()) + " ms";
    if (Why.empty())
      Late = Changed.wait_until(Held, Until) == std::cv_status::timeout;
    else
      giveUp(Rank, Round, Why);
  }
  --Sleepers;
  if (Round < BrokenFrom.load())
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
