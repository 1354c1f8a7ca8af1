#include "Socket.h"

#include "spmd/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spmd::bootstrap {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const char *Host, int Port, int Flags, std::string &Why) {
  addrinfo Hints{};
  Hints.ai_socktype = SOCK_STREAM;
  Hints.ai_flags = Flags | AI_NUMERICSERV;
  addrinfo *First = nullptr;
  const int Code =
      getaddrinfo(Host, std::to_string(Port).c_str(), &Hints, &First);
  if (Code)
    Why = Code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(Code);
  return Addresses(Code ? nullptr : First, &freeaddrinfo);
}

Socket make(const addrinfo &A) {
  Socket S(socket(A.ai_family, A.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  A.ai_protocol));
  const int On = 1;
  if (S)
    setsockopt(S.fd(), IPPROTO_TCP, TCP_NODELAY, &On, sizeof On);
  return S;
}

/// Waits until \p Events or an error; false when time is up.
bool ready(const Socket &S, short Events, Clock::time_point Until) {
  pollfd P = {S.fd(), Events, 0};
  for (;;) {
    const int N = poll(&P, 1, untilPoll(Until));
    if (N > 0)
      return true;
    if (N == 0 && Clock::now() >= Until)
      return false;
    if (N < 0 && errno != EINTR)
      return true; // the call that follows says what is wrong
  }
}

Socket connectOnce(const addrinfo &A, Clock::time_point Until,
                   std::string &Why) {
  Socket S = make(A);
  int Code = errno;
  if (S) {
    if (connect(S.fd(), A.ai_addr, A.ai_addrlen) == 0)
      return S;
    Code = errno;
    if (Code == EINPROGRESS) {
      Code = ETIMEDOUT;
      socklen_t Size = sizeof Code;
      if (ready(S, POLLOUT, Until))
        getsockopt(S.fd(), SOL_SOCKET, SO_ERROR, &Code, &Size);
      if (Code == 0)
        return S;
    }
  }
  Why = std::strerror(Code);
  return {};
}

} // namespace

Socket::~Socket() {
  if (Fd >= 0)
    close(Fd);
}

int untilPoll(Clock::time_point Until) {
  const auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
      Until - Clock::now());
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds::rep>(Left.count() + 1, 0, 1000));
}

bool isLoopback(const std::string &Host) {
  return Host == "localhost" || Host == "::1" || Host.rfind("127.", 0) == 0;
}

/// Listens on one of \p All, first on one of \p First.
static Socket listenOnOne(const addrinfo *All, int First, std::string &Why) {
  for (const int Family : {First, AF_UNSPEC})
    for (const addrinfo *A = All; A; A = A->ai_next) {
      if (Family != AF_UNSPEC && A->ai_family != Family)
        continue;
      Socket S = make(*A);
      const int On = 1, Off = 0;
      if (S) {
        setsockopt(S.fd(), SOL_SOCKET, SO_REUSEADDR, &On, sizeof On);
        if (A->ai_family == AF_INET6 && First == AF_INET6)
          setsockopt(S.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &Off, sizeof Off);
        if (bind(S.fd(), A->ai_addr, A->ai_addrlen) == 0 &&
            listen(S.fd(), SOMAXCONN) == 0)
          return S;
      }
      Why = std::strerror(errno);
    }
  return {};
}

static bool isAddress(const std::string &Host) {
  in6_addr Any;
  return inet_pton(AF_INET, Host.c_str(), &Any) == 1 ||
         inet_pton(AF_INET6, Host.c_str(), &Any) == 1;
}

Socket listenOn(const std::string &Host, int Port) {
  std::string Why;
  // An address names an interface, if it is one of this host's own. Where the
  // host's name means loopback, as on Debian, the others come from outside.
  const bool Inside = isLoopback(Host);
  if (Inside || isAddress(Host)) {
    const Addresses Own = resolve(Host.c_str(), Port, AI_PASSIVE, Why);
    if (Socket S = listenOnOne(Own.get(), AF_INET, Why))
      return S;
    if (Inside || Why != std::strerror(EADDRNOTAVAIL))
      detail::fail("spmd: cannot listen on " + Host + ":" +
                   std::to_string(Port) + ": " + Why);
  }
  // The one for IPv6 takes both kinds of address.
  const Addresses All = resolve(nullptr, Port, AI_PASSIVE, Why);
  if (Socket S = listenOnOne(All.get(), AF_INET6, Why))
    return S;
  detail::fail("spmd: cannot listen on " + Host + ":" + std::to_string(Port) +
               ": " + Why);
}

Socket connectTo(const std::string &Host, int Port, Clock::time_point Until,
                 std::string &Why) {
  for (;;) {
    const Addresses All = resolve(Host.c_str(), Port, 0, Why);
    for (const addrinfo *A = All.get(); A; A = A->ai_next)
      if (Socket S = connectOnce(*A, Until, Why))
        return S;
    const auto Pause = std::chrono::milliseconds(20);
    if (Clock::now() + Pause >= Until)
      return {};
    std::this_thread::sleep_for(Pause);
  }
}

std::string sendAll(const Socket &To, const std::string &Bytes,
                    Clock::time_point Until) {
  for (std::size_t Sent = 0; Sent < Bytes.size();) {
    const ssize_t N =
        send(To.fd(), Bytes.data() + Sent, Bytes.size() - Sent, MSG_NOSIGNAL);
    if (N >= 0) {
      Sent += static_cast<std::size_t>(N);
    } else if (errno != EAGAIN && errno != EINTR) {
      return std::strerror(errno);
    } else if (!ready(To, POLLOUT, Until)) {
      return "time is up";
    }
  }
  return {};
}

std::string receiveAll(const Socket &From, char *Bytes, std::size_t Count,
                       Clock::time_point Until) {
  while (Count) {
    const ssize_t N = recv(From.fd(), Bytes, Count, 0);
    if (N > 0) {
      Bytes += N;
      Count -= static_cast<std::size_t>(N);
    } else if (N == 0) {
      return "it has closed the connection";
    } else if (errno != EAGAIN && errno != EINTR) {
      return std::strerror(errno);
    } else if (!ready(From, POLLIN, Until)) {
      return "time is up";
    }
  }
  return {};
}

} // namespace spmd::bootstrap
