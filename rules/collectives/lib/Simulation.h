//===- Simulation.h - All ranks of a run ------------------------*- C++ -*-===//
//
// Each rank runs up to its next call; calls are matched as MPI asks: the k-th
// collective on a communicator is one for all its members, and sends wait for
// their receives.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_SIMULATION_H
#define SPMD_COLLECTIVES_SIMULATION_H

#include "Lane.h"

#include "spmd/collectives/Finding.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::collectives {

/// One rank's call, with the values of its arguments.
struct Operation {
  const Stmt *At = nullptr;
  const rules::CollectiveCall *Call = nullptr;
  llvm::SmallVector<std::pair<rules::CallRole, Value>, 8> Arguments;
  bool HasCountLists = false;
  unsigned Lane = 0;
  unsigned Comm = 0;
  unsigned Position = 0; ///< of the rank on the communicator
  unsigned Nth = 0;      ///< of the calls of its rank
  bool Done = false;
  Context Inside;
  // Messages
  bool Sends = false;
  unsigned Peer = 0; ///< a rank of the run
  Value Tag;

  const Value *argument(rules::CallRole R) const;
  bool isMessage() const { return rules::isMessage(Call->Kind); }
};

bool isInPlace(const Operation &O, const Symbols &Known);

/// Ranks that communicate.
struct Group {
  std::vector<unsigned> Lanes;
  /// Who is in it is not known: its calls are not matched.
  bool IsForeign = false;
  std::string Key;
  std::string Axes; ///< as declared, with commas; empty: not known
  /// The communicator, where it is made in the run.
  std::optional<Value> Made = {};
  bool ComesFromElsewhere = false;
};

/// A communicator of which all ranks of a run may be the members.
struct Base {
  std::string Key; ///< empty: MPI_COMM_WORLD
  std::string RankSymbol, SizeSymbol;

  friend auto operator<=>(const Base &, const Base &) = default;
};

/// What is wrong in a run.
struct Failure : Finding {
  /// The choices that only say that a loop has another round, of loops that all
  /// ranks went into before anything that is left without its partner: however
  /// often that is, once is enough to go wrong.
  Reasons Entered;
  /// Some rank knows its peer by how many ranks there are: the program is not
  /// made for a few.
  bool KnowsNumber = false;
};

enum class Outcome : std::uint8_t { Fine, Failed, Stopped, Unclear };

/// What the keys of ids that a rank makes begin with.
inline constexpr llvm::StringLiteral NewIdKey = "id of ";
/// The same of communicators that are made in a run, of ranks that are unknown.
inline constexpr llvm::StringLiteral MadeHereKey = "init";

class Simulation {
public:
  Simulation(World &W, const Function &Root, const Base &On);

  Outcome run();
  const std::vector<Failure> &failures() const { return Failures; }
  bool hasMessages() const { return HasMessages; }
  unsigned numRanks() const { return Ranks.size(); }
  /// Whether any rank has communicated on the communicator of all.
  bool hasCalls() const { return HasMessages || !Slots.empty(); }
  /// What another run would have to be given to make other calls.
  Reasons matters() const { return W.Matters; }
  /// And what would have to be given for it to be clear or unclear.
  Reasons mattersToUnseen() const { return W.MattersToUnseen; }
  /// Why a run is unclear.
  const std::optional<GiveUp> &givenUp() const { return GivenUp; }
  /// Communicators to be tried in their turn.
  std::set<Base> Others;
  /// Calls with a root, and whether there is a rank of that number.
  std::map<const Stmt *, bool> Roots;

private:
  enum class Status : std::uint8_t { Ready, Waiting, Polling, Ended };
  struct Request {
    std::vector<Operation *> Parts;
    /// Of a persistent one: what each start posts.
    std::optional<Operation> Persistent;
  };
  /// A call that is not looked into.
  struct NotMatched {
    std::string Name;
    unsigned On = WorldComm;
    bool HasNoComms = false;

    friend bool operator==(const NotMatched &, const NotMatched &) = default;
  };
  struct Rank {
    Rank(World &W, unsigned Number, const Function &Root)
        : Run(W, Number, Root) {}
    Lane Run;
    Status Is = Status::Ready;
    std::vector<Operation *> For; ///< what it waits for
    std::vector<Request> Requests;
    std::map<unsigned, unsigned> Counts; ///< collectives by communicator
    unsigned GroupDepth = 0;
    std::vector<Operation *> Grouped;
    std::vector<NotMatched> Unmatched;
    unsigned Polls = 0;
    std::vector<Location> Lent; ///< what other ranks get at, by windows
  };
  using Slot = std::vector<Operation *>;
  /// Which ranks make a call with arguments that mean something there, or not.
  struct Made {
    std::set<unsigned> Right, Wrong;
    std::optional<Finding> Is; ///< what is wrong
  };

  //===--- The run (Simulation.cpp) -----------------------------------------//

  bool advance(Rank &R);
  bool wake();
  void dispatch(Rank &R, const Stmt &S);
  Operation evaluate(Rank &R, const Stmt &S);
  void noteMatters(const Rank &R, const Operation &O);
  void wait(Rank &R, std::vector<Operation *> For);
  /// Waits for \p O, or has its request do so.
  void leaveTo(Rank &R, const Stmt &S, Operation *O);
  void giveUp(GiveUp G);
  void giveUp(GiveUpReason Why, const Stmt &At) {
    giveUp({Why, At.At, At.What.Name});
  }
  void fail(Finding F);
  Reasons enteredByAll() const;
  bool knowsLast() const;
  void noteOutOfStep(const Slot &Of);
  bool isApart(const NotMatched &Call) const;
  bool isOutOfReach() const;
  static std::vector<NotMatched> withoutOwn(llvm::ArrayRef<NotMatched> Of,
                                            const Rank &Waits,
                                            llvm::ArrayRef<NotMatched> Theirs,
                                            const Rank &Other);
  bool agreeOnUnmatched() const;
  bool agreeOnLeftOut() const;

  //===--- Calls (Calls.cpp) ------------------------------------------------//

  void collective(Rank &R, const Stmt &S, Operation O);
  Operation *postCollective(Rank &R, Operation O);
  void ask(Rank &R, const Stmt &S, const Operation &O);
  void init(Rank &R, const Stmt &S, const Operation &O);
  void local(Rank &R, const Stmt &S, const Operation &O);
  Value nullHandle(rules::CallRole Role, const Operation &O);
  /// Persistent requests.
  void restart(Rank &R, llvm::ArrayRef<unsigned> Ids);
  void waitFor(Rank &R, const Stmt &S, const Operation &O);
  std::vector<Location> requestsOf(Rank &R, const Operation &O);
  void group(Rank &R, const Stmt &S, const Operation &O);
  unsigned commOf(const Value &V);
  unsigned foreign(std::string Key);
  unsigned commOf(const Operation &O);
  void give(Rank &R, const Stmt &S, const Operation &O, rules::CallRole Role,
            Value V);
  Value addRequest(Rank &R, Request Q);

  //===--- Groups of ranks (Groups.cpp) -------------------------------------//

  std::optional<std::vector<unsigned>> membersOf(const Value *G) const;
  Value groupOf(std::vector<unsigned> In);
  std::optional<std::vector<std::int64_t>> positionsIn(Rank &R,
                                                       const Operation &O);
  std::optional<std::vector<unsigned>> madeGroup(Rank &R, const Operation &O);
  void makeGroup(Rank &R, const Stmt &S, const Operation &O);
  Value askGroup(Rank &R, const Stmt &S, const Operation &O);
  void createAmongMembers(Rank &R, const Stmt &S, Operation O);
  bool createOfGroups(Slot &Of);

  //===--- One-sided calls (Windows.cpp) ------------------------------------//

  const Value *windowOf(const Operation &O, Value &Held) const;
  void forgetLent(Rank &R, const Stmt &S);
  void lend(Rank &R, const Stmt &S, const Operation &O);
  void giveWindows(Slot &Of);
  void access(Rank &R, const Stmt &S, Operation O);
  std::optional<Finding> checkAccess(const Operation &O);

  //===--- Messages (Messages.cpp) ------------------------------------------//

  void message(Rank &R, const Stmt &S, Operation O);
  Operation *postMessage(Operation O, bool Sends);
  void probe(Rank &R, const Stmt &S, Operation O);
  bool isThere(const Operation &Probe) const;
  void failOnPeer(const Operation &O, const Value &Peer);
  void failOn(const Operation &O, Finding F);
  bool settleDoubts();
  static bool areFor(const Operation &A, const Operation &B);
  bool haveOneTag(const Operation &A, const Operation &B) const;
  bool isPartOf(const Value &Part, const Value &Whole) const;
  std::optional<int> compareCounts(const Value &A, const Value &B) const;
  std::optional<Finding> compareMessage(const Operation &From,
                                        const Operation &To);
  Finding ofMessage(FindingKind K, const Operation &O, const Operation *Other);
  const Operation *waitsFor(unsigned Lane) const;
  std::optional<unsigned> missingIn(const Operation &O) const;
  std::optional<Finding> explainMessages();
  std::optional<Finding> explainCycle(const Operation &First);

  //===--- What calls do to data (Data.cpp) ---------------------------------//

  void complete(Slot &Of);
  void split(Slot &Of);
  void share(Slot &Of);
  void broadcast(Slot &Of);
  bool isOnlyPlaceOf(const Lane &Of, Location At, unsigned Symbol) const;
  void noteReduced(const Slot &Of);
  void reduce(Slot &Of);
  void gather(Slot &Of);
  void transfer(Operation &From, Operation &To);
  void forget(const Operation &O, llvm::StringRef Key, Trust T);
  static bool isRoot(const Operation &O);
  std::optional<Location> buffer(const Operation &O, bool Out);

  //===--- What is wrong (Mismatch.cpp) -------------------------------------//

  std::optional<Finding> compareKinds(const Operation &A, const Operation &B);
  bool isOneAhead(const Operation &A, const Operation &B) const;
  Finding inOtherCalls(const Operation &A, const Operation &B);
  const char *disagreeOn(const Operation &A, const Operation &B);
  bool isSettled() const;
  std::optional<Finding> compareArguments(const Slot &Of);
  bool areOtherIds(const Operation &A, const Operation &B) const;
  bool hasUnwrittenId(const Operation &O) const;
  bool checkRoot(const Operation &O);
  std::optional<bool> haveOneType(const Operation &A, rules::CallRole RA,
                                  const Operation &B, rules::CallRole RB) const;
  /// What ranks must agree on of one argument: the roles that say it.
  struct Signature {
    rules::CallRole Type, Count;
  };
  bool isOneNothing(const Value &A, const Value &B) const;
  const char *differ(const Operation &A, Signature SA, const Operation &B,
                     Signature SB) const;
  const char *differIn(const Operation &A, const Operation &B) const;
  bool mayDiffer(const Value &A, const Value &B, unsigned Lane);
  std::optional<Finding> explainStuck();
  bool isHandedOn(const Operation &O) const;
  bool isOfCaller(const Rank &R, Location At) const;
  std::optional<Finding> explainMissing(const Operation &O);
  Finding finding(FindingKind K, const Operation &A, const Operation *B);
  Site branchOf(const Operation &O, unsigned Other) const;
  bool isAfterParting(const Operation &O, unsigned Other) const;
  std::string witness(const Operation *A, const Operation *B) const;
  std::string assumptions() const;
  std::string statusOf(unsigned Lane) const;

  //===--- What no call may be given (Arguments.cpp) ------------------------//

  std::optional<Finding> checkArguments(const Operation &O);
  std::optional<Finding> checkMessage(const Operation &O);
  std::optional<Finding> checkBuffers(const Operation &O);
  /// A datatype's elements are of one type.
  struct Elements {
    std::string Type;
    std::int64_t Each = 1;
  };
  std::optional<Elements> elementsOf(const Operation &O,
                                     rules::CallRole Role) const;
  std::string typeOf(const Operation &O, rules::CallRole Role) const;
  std::optional<Value> countOf(const Operation &O, rules::CallRole Count,
                               rules::CallRole Type) const;
  void noteDerived(const Operation &O, const Value &New);
  std::optional<Finding> checkOldType(const Operation &O);
  static bool hasNullOutput(const Operation &O);
  static bool isUsed(const Operation &O, rules::CallRole Buffer);
  std::optional<std::int64_t> bytesIn(const Operation &O,
                                      rules::CallRole Buffer) const;
  bool isNullHandle(const Operation &O, const Value &V,
                    rules::CallConstant Null) const;
  Finding wrong(BadArgument Is, const Operation &O);
  void failOnNull(const Operation &O);

  World &W;
  const Function &Root;
  const Base &On;
  std::vector<std::unique_ptr<Rank>> Ranks;
  std::deque<Operation> Operations;
  std::vector<Group> Groups;
  std::vector<std::vector<unsigned>> RankGroups; ///< groups of ranks
  /// Communicators that stand for the members of a group, by what they say.
  std::map<std::string, unsigned> OfMembers;
  std::map<unsigned, Elements> Derived; ///< datatypes that are made
  llvm::DenseSet<unsigned> Uncommitted; ///< datatypes, by their symbols
  std::map<std::string, unsigned> ForeignComms;
  std::map<std::pair<unsigned, unsigned>, Slot> Slots; ///< comm, ordinal
  std::vector<Operation *> Messages;                   ///< without a partner
  std::map<const Stmt *, Made> Doubtful;               ///< messages
  std::vector<Failure> Failures;
  std::optional<GiveUp> GivenUp;
  /// Some calls do not match: what follows does not count.
  bool IsBroken = false;
  /// Failures that nothing later in the run makes up for, and how many choices
  /// had been made then, and which of them mattered.
  struct {
    std::size_t Failures = 0, Choices = 0;
    Reasons Matters;
  } Sure;
  /// Where one rank first was in a call that the other skipped, and both went
  /// on: what does not match later follows from that.
  std::optional<Finding> OutOfStep;
  bool Unclear = false, Stopped = false, HasMessages = false;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_SIMULATION_H
