#include "CheckedBarrier.h"

#include "../lib/Awake.h"
#include "../lib/CallHash.h"
#include "CheckMpi.h"
#include "FailureMessages.h"

#include "spmd/deadline.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace spmd::mpi {
namespace {

constexpr std::size_t TextBytes = 256;

std::string late() {
  return "within " + std::to_string(deadline().count()) + " ms";
}

/// How long who gives up listens to what the others have to say.
Clock::duration grace() {
  return std::clamp<Clock::duration>(
      deadline() / 4, std::chrono::milliseconds(100), std::chrono::seconds(2));
}

} // namespace

std::uint64_t hashOf(const std::vector<int> &Ranks) {
  std::uint64_t Hash = detail::HashSeed;
  for (const int R : Ranks)
    Hash = detail::mix(Hash, static_cast<std::uint64_t>(R));
  return Hash;
}

CheckedBarrier::CheckedBarrier(MPI_Comm Comm, std::vector<int> InComm,
                               std::vector<int> Members, int Self, int FirstTag,
                               std::unique_ptr<SharedWords> Words)
    : Comm(Comm), InComm(std::move(InComm)), Members(std::move(Members)),
      Name(hashOf(this->Members)), Self(Self), FirstTag(FirstTag),
      Shared(std::move(Words)) {
  std::size_t Count = 0;
  while (std::size_t(1) << Count < this->Members.size())
    ++Count;
  Rounds.resize(Count);
}

// After a failure MPI may still write here.
CheckedBarrier::~CheckedBarrier() {
  if (!failure().empty())
    std::make_unique<std::vector<Round>>(std::move(Rounds)).release();
}

void CheckedBarrier::checkWell(const Operation &O) const {
  if (!failure().empty())
    O.fail("an earlier operator failed: " + failure());
}

void CheckedBarrier::arriveAndWait(const Operation &O) {
  checkWell(O);
  const Clock::time_point Now = Clock::now();
  // MPI brings a few messages each time it is asked.
  if (Now - std::exchange(Last, Now) > deadline() / 2)
    for (int Times = 0; Times < 1000; ++Times)
      listen(O);
  const Message Of = meet(O);
  if (Asker >= 0)
    awaitVerdict(O);
  if (!Of.Agrees)
    disagree(O);
  if (!Of.IsOnePlace)
    detail::warnOfPlaces(
        "rank " + std::to_string(Members[static_cast<std::size_t>(Self)]) +
        " calls " + O.text() + ", other ranks the same at another place");
}

CheckedBarrier::Message CheckedBarrier::meet(const Operation &O) {
  Message Of = {{O.hash(), O.place()}};
  if (!Shared)
    return exchange(O, Of.Said);
  Shared->say(Of.Said);
  // Another rank may be inside MPI until this one helps it on.
  unsigned Looks = 0;
  awaitThat(O, [&] {
    if (Shared->haveAllSaid())
      return true;
    if (++Looks % 64 == 0)
      listen(O);
    detail::pause();
    return false;
  });
  for (std::size_t R = 0; R < Members.size(); ++R) {
    const SharedWords::Word Theirs = Shared->of(static_cast<int>(R));
    Of.Agrees = Of.Agrees && Theirs.Hash == Of.Said.Hash;
    Of.IsOnePlace = Of.IsOnePlace && Theirs.Place == Of.Said.Place;
  }
  return Of;
}

/// Everybody hears of everybody in as many rounds as the number of ranks has
/// digits: in each of someone twice as far away.
CheckedBarrier::Message CheckedBarrier::exchange(const Operation &O,
                                                 SharedWords::Word Said) {
  const int Size = static_cast<int>(Members.size());
  Message Mine = {Said};
  int Step = 1, Tag = FirstTag;
  for (Round &R : Rounds) {
    R.Out = Mine;
    const auto At = [&](int Other) {
      return InComm[static_cast<std::size_t>((Self + Other) % Size)];
    };
    int Code = MPI_Irecv(&R.In, sizeof R.In, MPI_BYTE, At(Size - Step), Tag,
                         Comm, &R.Requests[0]);
    if (Code == MPI_SUCCESS)
      Code = MPI_Isend(&R.Out, sizeof R.Out, MPI_BYTE, At(Step), Tag, Comm,
                       &R.Requests[1]);
    if (Code != MPI_SUCCESS)
      fail(O, "the ranks cannot come together: " + textOf(Code));
    await(O, R.Requests, 2);
    Mine.Agrees = Mine.Agrees && R.In.Agrees && R.In.Said.Hash == Said.Hash;
    Mine.IsOnePlace =
        Mine.IsOnePlace && R.In.IsOnePlace && R.In.Said.Place == Said.Place;
    Step *= 2;
    ++Tag;
  }
  return Mine;
}

bool CheckedBarrier::isDone(const Operation &O, MPI_Request *Requests,
                            int Count) const {
  int Done = 0;
  const int Code = MPI_Testall(Count, Requests, &Done, MPI_STATUSES_IGNORE);
  if (Code != MPI_SUCCESS)
    fail(O, "MPI_Testall: " + textOf(Code));
  return Done != 0;
}

template <class Fn>
void CheckedBarrier::awaitThat(const Operation &O, Fn IsDone) {
  // Looking at the clock would take as long as the rest.
  for (int Spin = 0; Spin < 64; ++Spin)
    if (IsDone())
      return;
  const Clock::time_point Began = Clock::now();
  for (unsigned Spin = 1; !IsDone(); ++Spin) {
    if (Spin % 64)
      continue;
    const auto Waited = Clock::now() - Began;
    if (Waited < std::chrono::milliseconds(1))
      continue;
    std::this_thread::yield();
    listen(O);
    if (Waited > deadline())
      giveUp(O);
  }
}

void CheckedBarrier::await(const Operation &O, MPI_Request *Requests,
                           int Count) {
  awaitThat(O, [&] { return isDone(O, Requests, Count); });
}

void CheckedBarrier::listen(const Operation &O) {
  FailureMessage N;
  int From = 0;
  while (receive(N, From)) {
    if (N.Is == FailureMessage::Asks && N.Members == Name)
      Asker = From;
    if (N.Is == FailureMessage::Asks)
      send(FailureMessage::Waits, Name, waitsFor(O), From);
    else if (N.Is == FailureMessage::Failed)
      join(O, N.Text, From, N.Members);
  }
}

/// Who has asked goes no further, so neither may this rank.
void CheckedBarrier::awaitVerdict(const Operation &O) {
  const auto Until = Clock::now() + 2 * grace();
  while (Clock::now() < Until) {
    listen(O);
    std::this_thread::yield();
  }
  fail(O, "rank " + std::to_string(Asker) + " gave up " + late());
}

void CheckedBarrier::join(const Operation &O, const std::string &Cause, int Of,
                          std::uint64_t Theirs) const {
  // Of the same ranks it is the same cause.
  const std::string Whole =
      Theirs == Name ? Cause
                     : "rank " + std::to_string(Of) + " failed: " + Cause;
  keepFailure(Whole);
  O.fail(Whole);
}

void CheckedBarrier::fail(const Operation &O, const std::string &Cause) const {
  setFailure(Cause, Name);
  O.fail(Cause);
}

void CheckedBarrier::giveUp(const Operation &O) const {
  std::vector<std::string> Heard(Members.size());
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (static_cast<int>(R) != Self)
      send(FailureMessage::Asks, Name, "", Members[R]);
  const auto Until = Clock::now() + grace();
  std::size_t Missing = Members.size() - 1;
  while (Missing && Clock::now() < Until) {
    FailureMessage N;
    int From = 0;
    if (!receive(N, From)) {
      std::this_thread::yield();
      continue;
    }
    if (N.Is == FailureMessage::Failed)
      join(O, N.Text, From, N.Members);
    if (N.Is == FailureMessage::Asks)
      send(FailureMessage::Waits, Name, waitsFor(O), From);
    const auto It = std::find(Members.begin(), Members.end(), From);
    // Who asks for the same is here as well.
    if (It == Members.end() ||
        (N.Is == FailureMessage::Asks && N.Members != Name))
      continue;
    std::string &Of = Heard[static_cast<std::size_t>(It - Members.begin())];
    Missing -= Of.empty();
    Of = N.Members == Name ? "here" : " waits in " + std::string(N.Text);
  }
  std::string Gone, Elsewhere;
  for (std::size_t R = 0; R < Members.size(); ++R) {
    const std::string Who = "rank " + std::to_string(Members[R]);
    if (static_cast<int>(R) == Self || Heard[R] == "here")
      continue;
    if (Heard[R].empty())
      Gone += (Gone.empty() ? "" : ", ") + Who;
    else
      Elsewhere += ", " + Who + Heard[R];
  }
  if (!Gone.empty())
    Gone += " did not come " + late();
  else if (!Elsewhere.empty())
    Elsewhere = Elsewhere.substr(2) + ", and did not come " + late();
  else
    Gone = "all ranks came, and MPI has not done it " + late();
  fail(O, Gone + Elsewhere);
}

/// All have found it: they have come to the last round.
void CheckedBarrier::disagree(const Operation &O) {
  std::vector<char> All(Members.size() * TextBytes);
  const std::string Mine = O.text();
  std::vector<MPI_Request> Requests;
  std::vector<char> Text(TextBytes);
  std::strncpy(Text.data(), Mine.c_str(), TextBytes - 1);
  const int Tag = FirstTag + static_cast<int>(Rounds.size());
  for (std::size_t R = 0; R < Members.size(); ++R)
    if (static_cast<int>(R) != Self) {
      MPI_Irecv(&All[R * TextBytes], TextBytes, MPI_BYTE, InComm[R], Tag, Comm,
                &Requests.emplace_back());
      MPI_Isend(Text.data(), TextBytes, MPI_BYTE, InComm[R], Tag, Comm,
                &Requests.emplace_back());
    } else {
      std::copy(Text.begin(), Text.end(), &All[R * TextBytes]);
    }
  await(O, Requests.data(), static_cast<int>(Requests.size()));
  for (std::size_t R = 1; R < Members.size(); ++R) {
    const std::string First = &All[0], Other = &All[R * TextBytes];
    if (First != Other || R + 1 == Members.size())
      fail(O, "the ranks disagree: rank " + std::to_string(Members[0]) +
                  " calls " + First + ", rank " + std::to_string(Members[R]) +
                  " " + Other);
  }
  fail(O, "the ranks disagree");
}

} // namespace spmd::mpi
