//===- TcpServer.h - A table that is served over TCP ------------*- C++ -*-===//

#ifndef SPMD_LIB_BOOTSTRAP_TCPSERVER_H
#define SPMD_LIB_BOOTSTRAP_TCPSERVER_H

#include "Message.h"
#include "Socket.h"
#include "Table.h"

#include <atomic>
#include <list>
#include <set>
#include <thread>

namespace spmd::bootstrap {

/// Answers the ranks 1 … \p Size - 1 from a thread of its own until it is
/// destroyed; what has been asked for and is there is still sent.
class TcpServer {
public:
  TcpServer(const std::string &Host, int Port, int Size, std::string Id);
  ~TcpServer();
  TcpServer(const TcpServer &) = delete;
  TcpServer &operator=(const TcpServer &) = delete;

  /// Rank 0's own way to it.
  Table &table() { return Entries; }
  /// To be called when rank 0 has changed the table.
  void notice();
  /// "rank 1, rank 3 have not come to it", or empty.
  std::string missing();

private:
  struct Peer {
    Socket To;
    std::string In, Out;
    /// The key that it waits for, if it does.
    std::string Wanted;
    bool Waits = false;
    bool Joined = false;
    Clock::time_point Since = Clock::now();
    /// What it has said, and has been asked to prove.
    Message Hello;
    std::string Challenge;
    /// No more is read; it goes when what it has to be told is sent.
    bool Ends = false;
  };

  void serve();
  void accept();
  void read(Peer &P);
  void handle(Peer &P, const Message &M);
  void greet(Peer &P, const Message &M);
  /// Lets those go that have not joined in time, or are too many.
  void dropStrangers();
  /// How long poll may wait: for ever, but for strangers and descriptors.
  int pollLimit() const;
  /// Empty if the rank that says this may join.
  std::string whyNot(const Message &Hello);
  void answerWaiting();
  static void send(Peer &P);

  const int Size;
  const std::string Id, Secret;
  /// No descriptor is left for who wants to connect; asked again after a while.
  bool IsFull = false;
  Table Entries;
  Socket Listening, Woken, Waker;
  std::list<Peer> Peers;
  std::mutex JoinedLock;
  std::set<int> Joined;
  std::atomic<bool> Stop{false};
  std::thread Thread;
};

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_TCPSERVER_H
