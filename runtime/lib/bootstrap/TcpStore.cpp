#include "Secret.h"
#include "TcpServer.h"

#include "spmd/error.h"
#include "spmd/store.h"

namespace spmd {
namespace {

using bootstrap::Clock;
using bootstrap::Message;
using bootstrap::nobodySet;

void checkSize(const std::string &Key, const std::string &Value) {
  if (Key.size() + Value.size() + bootstrap::SizeBytes + 1 >
      bootstrap::MaxMessage)
    detail::fail("spmd::Store::set: " + std::to_string(Value.size()) +
                 " bytes, a value has at most 16777216");
}

/// Rank 0's.
class ServingStore final : public Store {
public:
  ServingStore(const std::string &Host, int Port, int Size,
               const std::string &Id)
      : Server(Host, Port, Size, Id) {}

  void set(const std::string &Key, const std::string &Value) override {
    checkSize(Key, Value);
    Server.table().set(Key, Value);
    Server.notice();
  }
  std::string get(const std::string &Key) override {
    std::string Value;
    if (!Server.table().await(Key, Value))
      nobodySet(Key, Server.missing());
    return Value;
  }

private:
  bootstrap::TcpServer Server;
};

/// The other ranks'.
class AskingStore final : public Store {
public:
  AskingStore(const std::string &Host, int Port, int Rank, int Size,
              const std::string &Id)
      : Where(Host + ":" + std::to_string(Port)) {
    const auto Until = Clock::now() + deadline();
    std::string Why;
    To = bootstrap::connectTo(Host, Port, Until, Why);
    if (!To)
      detail::fail("spmd: rank " + std::to_string(Rank) +
                   " cannot connect to rank 0 at " + Where + " within " +
                   std::to_string(deadline().count()) + " ms: " + Why);
    const std::string Who = std::to_string(Rank) + " " + std::to_string(Size);
    const std::string Secret = bootstrap::sharedSecret();
    const Message Answer = converse({Message::Hello, Who, Id}, Until);
    const bool Asks = Answer.Kind == Message::Challenge;
    if (Asks == Secret.empty())
      check(Asks ? "it asks for a secret: set SPMD_STORE_SECRET or "
                   "SPMD_STORE_SECRET_FILE on this rank as on rank 0"
                 : "it asks for no secret, and this rank has one");
    if (Asks)
      ask({Message::Proof, "", bootstrap::proofOf(Secret, Answer.Text + Who)},
          Until);
  }

  void set(const std::string &Key, const std::string &Value) override {
    checkSize(Key, Value);
    const std::lock_guard<std::mutex> Held(Lock);
    tell({Message::Set, Key, Value}, Clock::now() + deadline());
  }
  std::string get(const std::string &Key) override {
    const std::lock_guard<std::mutex> Held(Lock);
    return ask({Message::Get, Key, ""}, Clock::now() + deadline());
  }

private:
  /// Sends it; what is half said cannot be said again: then the connection
  /// goes.
  void tell(const Message &M, Clock::time_point Until) {
    if (!To)
      fail("an earlier call on it has failed");
    check(sendAll(To, encode(M), Until));
  }

  std::string ask(const Message &Question, Clock::time_point Until) {
    return converse(Question, Until).Text;
  }

  Message converse(const Message &Question, Clock::time_point Until) {
    tell(Question, Until);
    char Size[bootstrap::SizeBytes];
    const std::string Why = receiveAll(To, Size, sizeof Size, Until);
    if (!Why.empty() && Question.Kind == Message::Get &&
        Clock::now() >= Until) {
      To = {};
      nobodySet(Question.Key);
    }
    check(Why);
    const std::size_t Expected = bootstrap::decodeSize(Size);
    check(Expected > bootstrap::MaxMessage ? "who answers is no store" : "");
    std::string Bytes(Expected, '\0');
    check(receiveAll(To, &Bytes[0], Expected, Until));
    Message Answer;
    check(decode(Bytes, Answer) ? "" : "who answers is no store");
    check(Answer.Kind == Message::Error ? Answer.Text : "");
    return Answer;
  }

  void check(const std::string &Why) {
    if (Why.empty())
      return;
    To = {};
    fail(Why);
  }

  [[noreturn]] void fail(const std::string &Why) const {
    detail::fail("spmd: the store of rank 0 at " + Where + ": " + Why);
  }

  const std::string Where;
  std::mutex Lock;
  bootstrap::Socket To;
};

} // namespace

std::shared_ptr<Store> tcp_store(const std::string &Host, int Port, int Rank,
                                 int Size, const std::string &Id) {
  if (Rank == 0)
    return std::make_shared<ServingStore>(Host, Port, Size, Id);
  return std::make_shared<AskingStore>(Host, Port, Rank, Size, Id);
}

} // namespace spmd
