//===- Socket.h - TCP with an end to every wait -----------------*- C++ -*-===//

#ifndef SPMD_LIB_BOOTSTRAP_SOCKET_H
#define SPMD_LIB_BOOTSTRAP_SOCKET_H

#include <chrono>
#include <string>
#include <utility>

namespace spmd::bootstrap {

using Clock = std::chrono::steady_clock;

/// A descriptor that is closed with its owner.
class Socket {
public:
  Socket() = default;
  explicit Socket(int Descriptor) : Fd(Descriptor) {}
  Socket(Socket &&Other) noexcept : Fd(std::exchange(Other.Fd, -1)) {}
  Socket &operator=(Socket &&Other) noexcept {
    std::swap(Fd, Other.Fd);
    return *this;
  }
  ~Socket();
  int fd() const { return Fd; }
  explicit operator bool() const { return Fd >= 0; }

private:
  int Fd = -1;
};

/// "localhost", "127.0.0.1", "::1": hosts that no other host can mean.
bool isLoopback(const std::string &Host);

/// Listens on \p Port: of loopback or of an address of this host alone if
/// \p Host is one, else of all. An Error with the
/// system's text when it cannot.
Socket listenOn(const std::string &Host, int Port);

/// Connects; as long as nobody listens, again, until \p Until. \p Why is then
/// the system's last text, and the socket none.
Socket connectTo(const std::string &Host, int Port, Clock::time_point Until,
                 std::string &Why);

/// Empty when done, else why not: the other end is gone, or time is up.
std::string sendAll(const Socket &To, const std::string &Bytes,
                    Clock::time_point Until);
std::string receiveAll(const Socket &From, char *Bytes, std::size_t Count,
                       Clock::time_point Until);

/// Milliseconds until then as poll takes them, at least 0.
int untilPoll(Clock::time_point Until);

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_SOCKET_H
