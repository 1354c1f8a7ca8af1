//===- Asynchrony.h - What still runs while a rank goes on ------*- C++ -*-===//
//
// One rank's run, alone: what other ranks do is unknown here. Each operation
// that does not end with its call is a step of an actor: of its stream, or of
// one of its own. The host and each stream know up to which step of each other
// actor all is done (a vector clock); who touches storage of a step that it
// does not know to be done is too early.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_ASYNCHRONY_H
#define SPMD_COLLECTIVES_ASYNCHRONY_H

#include "Lane.h"

#include "spmd/collectives/Finding.h"

namespace spmd::collectives {

/// Operations on one object that are remembered.
constexpr std::size_t MaxOnObject = 64;
/// All elements that there are.
constexpr std::int64_t Everything = std::numeric_limits<std::int32_t>::max();

/// Storage that an operation surely uses: so many elements from \p At on.
struct Region {
  Location At;
  std::int64_t Count = 1;
  bool Writes = false;
  std::string Spelled;
  bool IsGradient = false;
};

/// Whether both have an element in common, as far as is known.
bool overlap(const Symbols &Known, const Region &A, const Region &B);

/// Takes a message.
bool isReceive(const Stmt &S);

/// Whatever works for itself: the host, a stream, an operation.
using Actor = unsigned;
constexpr Actor Host = 0;

/// The step up to which each actor is known to be done.
class Clock {
public:
  unsigned operator[](Actor A) const { return A < Steps.size() ? Steps[A] : 0; }
  void learn(Actor A, unsigned Step);
  void learn(const Clock &From);

private:
  std::vector<unsigned> Steps;
};

/// A step of an actor.
struct Running {
  enum class State : std::uint8_t { Active, Done, Unknown };
  const Stmt *At = nullptr;
  std::string Name;
  Actor By = Host;
  unsigned Step = 0;
  std::vector<Region> Uses;
  bool IsCall = false; ///< of a communication library
  bool NeedsWait = false;
  std::string Request; ///< as its call names it
  std::string Until;   ///< what does not end it, of other than a request
  State Is = State::Active;
  bool UnderChoice = false; ///< begun on a way that an unknown chose
  /// The host has waited for some stream of which nobody knows which it is, or
  /// there is nothing to wait for.
  bool MayBeDone = false;
  unsigned Tests = 0;
};

/// An operation that is begun, and what comes too early. Ids of sites.
using Pair = std::pair<unsigned, unsigned>;

struct Hazard {
  Finding What;
  bool UnderChoice = false; ///< what it is about was
};

class Asynchrony : public Watcher {
public:
  Asynchrony(World &W, unsigned Number, const Function &Root);

  void run();

  std::map<Pair, Hazard> Found;
  /// What came in time, and operations that were completed.
  std::set<Pair> InTime;
  /// Calls that one group has had, whatever they touch.
  std::set<Pair> InOneGroup;
  std::vector<GiveUp> GivenUp;
  bool AsksWorld = false;
  bool EndsGroup = false; ///< that it has begun

  //===--- What the lane tells (Asynchrony.cpp) -----------------------------//

  void reads(Location At, const Stmt *By) override;
  void writes(Location At, const Stmt *By) override;
  void forgets(Location At) override;
  void meets(const Stmt &S) override;
  void ends(const NumberMap &Objects, const Stmt *By) override;
  void skips(const Stmt &S) override;
  void gives(const Value &V) override { hand(V); }
  void decides(const Stmt &S, unsigned Occurrence, bool Chosen) override;

private:
  struct Argument {
    rules::CallRole Role;
    Value V;
  };
  struct Call {
    const Stmt *At = nullptr;
    std::vector<Argument> Arguments;
    const rules::CollectiveCall &api() const { return *At->What.Call; }
    const Value *find(rules::CallRole R) const;
  };
  struct Request {
    std::optional<std::size_t> Now; ///< what it completes
    std::optional<Running> Again;   ///< of a persistent one
    bool IsShared = false;          ///< others may complete it
  };
  struct Stream {
    bool IsKnown = false; ///< made in sight, and no other one
    bool IsApart = false; ///< from the default stream
    std::string Name;
    bool IsGiven = false;   ///< by a parameter
    bool IsOrdered = false; ///< an event is recorded on it, for others
  };

  struct Window {
    const Stmt *At = nullptr; ///< where it is made
    bool IsKnown = false;     ///< made in sight, and nobody else has it
    bool IsFenced = false, IsStarted = false;
    std::map<std::string, const Stmt *> Locked;         ///< by rank; empty: all
    std::vector<std::pair<std::size_t, Value>> Pending; ///< and their targets

    bool isOpen() const { return IsFenced || IsStarted || !Locked.empty(); }
  };
  struct Handle {
    const Stmt *At = nullptr;
    rules::CallRole Role = rules::CallRole::None;
  };

  //===--- Accesses (Asynchrony.cpp) ----------------------------------------//

  struct Touch {
    Region What;
    Actor By = Host;
    const Stmt *At = nullptr;
    std::string Name; ///< who does it
    bool IsCall = false;
    HazardKind Kind = HazardKind::Read;
    /// Why that is too early, where it is no matter of waiting.
    std::string Because = {};
  };
  void touch(const Touch &T);
  bool isLast(llvm::ArrayRef<std::size_t> Of, std::size_t I) const;
  void doubt(const Running &R, GiveUpReason Why);
  bool readsResult(const Running &R, const Touch &T) const;
  bool isPast(const Running &R, Actor For) const;
  bool mayBeOrdered(Actor A, Actor B) const;
  bool mayBeOrdered(const Running &R, const Touch &T) const;
  void report(const Running &R, const Region *Of, const Touch &T);
  std::string missing(const Running &R, Actor For) const;
  Running &begin(const Stmt &S, Actor By);
  void access(const Stmt &S);
  void accessGradients(const Stmt &S);
  void hand(const Value &V);
  void complete(Running &R);
  void giveAway();

  //===--- Calls (AsynchronyCalls.cpp) --------------------------------------//

  void dispatch(const Stmt &S);
  Call evaluate(const Stmt &S);
  void answer(const Call &C);
  std::vector<Region> regionsOf(const Call &C);
  void addRegion(const Call &C, rules::CallRole Role, bool Writes,
                 std::vector<Region> &Out);
  bool isGradient(const Value &Storage) const;
  std::optional<bool> isRoot(const Call &C);
  bool isOfAll(const Value &Comm) const;
  bool makesCommOfAll(const Call &C) const;
  void start(const Call &C);
  std::size_t post(Running New);
  void remember(unsigned Object);
  void keepRequest(const Call &C, Request Q, const std::string &Spelled);
  void useBuffers(const Call &C, Actor By);
  void forgetOutputs(const Call &C);
  void give(const Call &C, rules::CallRole Role, Value V);

  //===--- Requests (AsynchronyRequests.cpp) --------------------------------//

  struct Requests {
    std::vector<std::pair<Location, unsigned>> At;
    std::vector<unsigned> Ids;
    bool IsKnown = true; ///< there are no others
  };
  Requests requestsOf(const Call &C);
  void waitFor(const Call &C);
  void test(const Call &C, Requests &Of);
  void startAgain(const Requests &Of, const Call &C);
  void release(const Requests &Of);
  void finish(Request &Q);
  void freeRequests(const Requests &Of, const Call &C);
  void loseRequests(Location In, const Stmt &By);
  void findLost(const Stmt *At, bool AtFinalize);

  //===--- Windows and handles (AsynchronyWindows.cpp) ----------------------//

  Window *windowOf(const Call &C);
  void openWindow(const Call &C, const Value &New);
  void reportAt(const Stmt &Begun, const Stmt &At, HazardKind K,
                std::string By);
  void accessWindow(const Call &C);
  void endAccesses(Window &Of, const Value *Target);
  void synchronise(const Call &C);
  void closeWindow(Window &Of, const Call &C);
  void makeHandles(const Call &C);
  void freeHandles(const Call &C);
  void findLeaks(const Stmt &At);

  //===--- Streams (Streams.cpp) --------------------------------------------//

  Actor streamOf(const Value &V, const std::string &Name = {});
  Actor streamOf(const Stmt &S);
  void stream(const Stmt &S);
  void create(const Stmt &S, const Value &Where);
  /// What a stream knows when something is put on it now.
  void enqueue(Actor On);
  void teach(Actor Who, const Clock &What);
  void teach(Actor Who, Actor Of);
  void noteWait(bool IsForKnown);
  void sync(Actor With);
  void group(const Call &C);
  void touchInGroup(const Running &A, const Running &B);
  void endGroup();

  World &W;
  Lane Run;
  const bool IsMain;
  std::deque<Running> Operations;
  /// Those before were asked when the host last waited for one that is not
  /// known, or for any.
  std::size_t WaitedForAll = 0, WaitedForUnknown = 0;
  std::map<unsigned, std::vector<std::size_t>> ByObject;
  std::vector<Request> AllRequests;
  std::set<std::pair<const Stmt *, unsigned>> Chosen;
  std::map<Actor, Clock> Knows;
  Clock Steps;     ///< the last one of each
  Clock OfUnknown; ///< what some stream knows that is not known
  std::vector<Stream> Streams{Stream{}}; ///< by actor; the host is none
  std::map<std::string, Actor> StreamIds, HandleStreams;
  std::map<std::string, Clock> Events;
  std::set<std::string> OfAll; ///< communicators of all ranks, in their order
  std::vector<Actor> AllStreams;
  std::map<std::string, Window> Windows; ///< by their handles
  std::map<unsigned, Handle> Handles;    ///< by their symbols: not freed yet
  unsigned GroupDepth = 0;
  const Stmt *GroupAt = nullptr;
  std::vector<std::pair<Actor, Running>> Grouped;
  bool Ended = false;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_ASYNCHRONY_H
