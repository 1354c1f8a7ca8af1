#include "TcpServer.h"

#include "../RankList.h"
#include "Secret.h"

#include "spmd/error.h"

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spmd::bootstrap {

constexpr std::size_t MaxHello = 4096;
/// Who has not joined: how many there may be beside the ranks, and how long.
constexpr std::size_t MaxStrangers = 64;
constexpr auto HelloLimit = std::chrono::seconds(10);

TcpServer::TcpServer(const std::string &Host, int Port, int Size,
                     std::string Id)
    : Size(Size), Id(std::move(Id)), Secret(sharedSecret()),
      Listening(listenOn(Host, Port)) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC | O_NONBLOCK) != 0)
    detail::fail("spmd: a store cannot be served: no pipe");
  Woken = Socket(Ends[0]);
  Waker = Socket(Ends[1]);
  Thread = std::thread([this] { serve(); });
}

TcpServer::~TcpServer() {
  Stop = true;
  notice();
  Thread.join();
}

void TcpServer::notice() {
  const char Byte = 0;
  // A full pipe wakes as well.
  if (write(Waker.fd(), &Byte, 1) < 0)
    return;
}

void TcpServer::serve() {
  std::vector<pollfd> Watched;
  while (!Stop) {
    const bool Rests = std::exchange(IsFull, false);
    Watched = {{Woken.fd(), POLLIN, 0},
               {Listening.fd(), static_cast<short>(Rests ? 0 : POLLIN), 0}};
    for (const Peer &P : Peers)
      Watched.push_back({P.To.fd(),
                         static_cast<short>(P.Ends          ? POLLOUT
                                            : P.Out.empty() ? POLLIN
                                                            : POLLIN | POLLOUT),
                         0});
    if (poll(Watched.data(), Watched.size(), Rests ? 100 : pollLimit()) < 0)
      continue;
    char Drained[64];
    while (::read(Woken.fd(), Drained, sizeof Drained) > 0)
      ;
    std::size_t Index = 2;
    for (Peer &P : Peers) {
      if (Watched[Index++].revents & (POLLIN | POLLERR | POLLHUP))
        read(P);
    }
    answerWaiting();
    dropStrangers();
    for (auto P = Peers.begin(); P != Peers.end();) {
      send(*P);
      P = P->Ends && P->Out.empty() ? Peers.erase(P) : std::next(P);
    }
    if (Watched[1].revents)
      accept();
  }
  answerWaiting();
  const auto Until = Clock::now() + std::chrono::seconds(2);
  for (Peer &P : Peers)
    sendAll(P.To, P.Out, Until);
}

void TcpServer::accept() {
  Socket New(
      accept4(Listening.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!New) {
    IsFull = errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
             errno == ENOMEM;
    return;
  }
  Peers.emplace_back();
  Peers.back().To = std::move(New);
}

int TcpServer::pollLimit() const {
  for (const Peer &P : Peers)
    if (!P.Joined)
      return 1000;
  return -1;
}

// The oldest come first.
void TcpServer::dropStrangers() {
  std::size_t Strangers = 0;
  for (const Peer &P : Peers)
    Strangers += !P.Joined;
  const std::size_t Most = MaxStrangers + static_cast<std::size_t>(Size);
  for (Peer &P : Peers) {
    if (P.Joined || (Strangers <= Most && Clock::now() - P.Since < HelloLimit))
      continue;
    P.Ends = true;
    P.Out.clear();
    --Strangers;
  }
}

void TcpServer::read(Peer &P) {
  char Bytes[65536];
  bool Gone = false;
  for (;;) {
    const ssize_t N = recv(P.To.fd(), Bytes, sizeof Bytes, 0);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0 && errno == EAGAIN)
      break;
    Gone = N <= 0;
    if (Gone)
      break;
    P.In.append(Bytes, static_cast<std::size_t>(N));
    if (!P.Joined && P.In.size() > SizeBytes + MaxHello)
      break; // whoever this is, it does not say hello
  }
  // Who goes may have set something last.
  while (!P.Ends && P.In.size() >= SizeBytes) {
    const std::size_t Size = decodeSize(P.In.data());
    const bool TooLarge = Size > (P.Joined ? MaxMessage : MaxHello);
    if (!TooLarge && P.In.size() < SizeBytes + Size)
      break;
    Message M;
    P.Ends = TooLarge || !decode(P.In.substr(SizeBytes, Size), M);
    P.In.erase(0, SizeBytes + Size);
    if (!P.Ends)
      handle(P, M);
  }
  if (Gone) {
    P.Ends = true;
    P.Out.clear();
  }
}

void TcpServer::handle(Peer &P, const Message &M) {
  if (!P.Joined) {
    greet(P, M);
  } else if (M.Kind == Message::Set) {
    Entries.set(M.Key, M.Text);
  } else if (M.Kind == Message::Get) {
    P.Wanted = M.Key;
    P.Waits = true;
  } else {
    P.Ends = true;
  }
}

void TcpServer::greet(Peer &P, const Message &M) {
  const bool IsProof = M.Kind == Message::Proof && !P.Challenge.empty();
  if (!Secret.empty() && !IsProof) {
    P.Hello = M;
    P.Challenge = drawChallenge();
    P.Out += encode({Message::Challenge, "", P.Challenge});
    return;
  }
  std::string Why;
  if (IsProof && !areEqual(M.Text, proofOf(Secret, P.Challenge + P.Hello.Key)))
    Why = "this rank does not know the secret of the job";
  else
    Why = whyNot(IsProof ? P.Hello : M);
  P.Out += encode({Why.empty() ? Message::Value : Message::Error, "", Why});
  P.Joined = Why.empty();
  P.Ends = !P.Joined;
}

std::string TcpServer::whyNot(const Message &Hello) {
  int Rank = 0, Ranks = 0;
  if (Hello.Kind != Message::Hello ||
      std::sscanf(Hello.Key.c_str(), "%d %d", &Rank, &Ranks) != 2)
    return "this is the store of a job of spmd";
  if (!areEqual(Hello.Text, Id))
    return "rank 0 belongs to another job than this rank, whose id is '" +
           Hello.Text + "'";
  if (Ranks != Size)
    return "rank 0 says that there are " + std::to_string(Size) +
           " ranks, rank " + std::to_string(Rank) + " says " +
           std::to_string(Ranks);
  const std::lock_guard<std::mutex> Held(JoinedLock);
  if (Rank < 1 || Rank >= Size || !Joined.insert(Rank).second)
    return "rank " + std::to_string(Rank) + " is there already";
  return {};
}

std::string TcpServer::missing() {
  const std::lock_guard<std::mutex> Held(JoinedLock);
  std::string Ranks;
  for (int R = 1; R < Size; ++R)
    if (!Joined.count(R))
      detail::addRank(Ranks, R);
  const bool IsOne = static_cast<int>(Joined.size()) == Size - 2;
  return Ranks.empty() ? ""
                       : Ranks + (IsOne ? " has" : " have") + " not come to it";
}

void TcpServer::answerWaiting() {
  for (Peer &P : Peers) {
    std::string Value;
    if (!P.Waits || !Entries.find(P.Wanted, Value))
      continue;
    P.Out += encode({Message::Value, "", Value});
    P.Waits = false;
  }
}

void TcpServer::send(Peer &P) {
  while (!P.Out.empty()) {
    const ssize_t N =
        ::send(P.To.fd(), P.Out.data(), P.Out.size(), MSG_NOSIGNAL);
    if (N > 0) {
      P.Out.erase(0, static_cast<std::size_t>(N));
    } else if (errno != EINTR) {
      if (errno != EAGAIN) {
        P.Ends = true;
        P.Out.clear();
      }
      return;
    }
  }
}

} // namespace spmd::bootstrap
