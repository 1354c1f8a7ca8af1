//===- Lane.h - One rank's run of a program ---------------------*- C++ -*-===//
//
// Runs until it gets to a call of a communication library, which is for others
// to do, or to its end.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_LANE_H
#define SPMD_COLLECTIVES_LANE_H

#include "Caps.h"
#include "Evaluate.h"

#include "spmd/collectives/GiveUp.h"

namespace spmd::collectives {

/// Which way a rank went.
struct Decision {
  const Stmt *At = nullptr;
  unsigned Occurrence = 0; ///< the how manieth on this rank
  unsigned Arm = 0;
};
using Context = std::vector<Decision>;

/// A return, break, continue or throw.
struct Jump {
  const Stmt *At = nullptr;
  Context Inside;
};

class Lane : public Evaluator {
public:
  enum class State : std::uint8_t { AtCall, AtOpaque, Ended, Exited, GaveUp };

  Lane(World &W, unsigned Number, const Function &Root);

  /// Runs up to the next call.
  State run();
  /// The call or the opaque code where it is.
  const Stmt &current() const { return *Current; }
  /// Why it gave up.
  const GiveUp &why() const { return Why; }

  /// A key that ranks share that come to \p S as often.
  std::string keyOf(const Stmt &S, llvm::StringRef What) const;
  Context context() const;

  std::vector<Jump> Jumps;
  std::optional<Value> Result; ///< of the root
  /// By statement and occurrence: the arms taken.
  llvm::DenseMap<std::pair<const Stmt *, unsigned>, unsigned> Taken;

  /// A round of a loop of which nobody knows how many it has: \p By said that
  /// there is another one. What the rank calls in it comes behind \p LastCall.
  struct EnteredRound {
    const Stmt *Loop = nullptr;
    unsigned LastCall = 0;
    Reasons By;
  };
  llvm::ArrayRef<EnteredRound> enteredRounds() const { return Entered; }
  /// A loop that it has left from within, as \p By said.
  struct LeftLoop {
    const Stmt *Loop = nullptr;
    Reasons By;
  };
  llvm::ArrayRef<LeftLoop> leftLoops() const { return LeftLoops; }
  /// Those made so far that others may wait for.
  unsigned numCalls() const { return NumCalls; }

  /// How often how many rounds of a loop that has communicated were left out;
  /// of one that counts nothing, which one it is.
  std::map<std::pair<const Stmt *, std::int64_t>, unsigned> LeftOut;

private:
  struct Work {
    const Stmt *S = nullptr;
    unsigned Next = 0;
    unsigned Trips = 0;
    unsigned Occurrence = 0;
    bool Guessed = false; ///< a loop of which nobody knows how often it is done
    bool NearEnd = false; ///< a loop whose last rounds are run
    /// When a loop began: the calls made, and what was not known until then.
    unsigned CallsBefore = 0, UnknownsBefore = 0;
    std::optional<unsigned> Decided = std::nullopt; ///< the last one, and its
    unsigned Arm = 0;
    /// What decides that it is done, and what in it.
    Reasons Within = {}, Decides = {};
    Reasons Chosen = {}; ///< what a branch asked of what is not known
  };

  State giveUp(GiveUpReason R);
  std::optional<State> step();
  /// What does not stay on the stack while it is done.
  std::optional<State> doAtOnce(const Stmt &S);
  void copy(const Stmt &S);
  std::optional<State> jump(const Stmt &S);
  void push(const Stmt *S);
  void pop();
  void drop();
  void hangs(Work &W);
  void endDecided();
  bool hangOnGiven(const Stmt &S, const Expr &Place, Reasons By);
  void
  eachWritten(const Stmt &S,
              llvm::function_ref<void(Location, const Expr *, Reasons)> Do);
  void doIf(Work &W);
  std::optional<State> doLoop(Work &W);
  void doSwitch(Work &W);
  std::optional<State> call(const Stmt &S);
  std::optional<State> callUnknown(const Stmt &S,
                                   llvm::ArrayRef<Value> Arguments);
  void leave(const Stmt &S);
  bool breakOut(bool Continues);
  bool leaveBlock(unsigned Label);
  bool unwind();
  void decided(Work &W, unsigned Arm, bool Chosen = false);
  void forgetWrites(const Stmt &S);
  bool takesTooLong(const Stmt *Loop);
  bool leavesQuietCall(const Stmt &Asking);
  std::optional<bool> sendsSomething(const Stmt &If);
  void leaveInertLoop();
  void skipLoop();
  unsigned enoughTrips(const Work &W) const;
  bool isLong(const Work &W) const;
  bool bringsWays(const Work &W) const;
  bool mayEnd(const Work &W, const Value &Test) const;
  bool isEndless(const Work &W) const;
  /// Whether a loop of which enough rounds were run goes on with the last ones.
  bool goesToLast(Work &W);
  void leaveOut(const Work &W, std::optional<std::int64_t> Rounds);
  bool isGuess() const;
  /// What an object puts on streams later hangs on its class.
  bool makesObject(const Stmt &S) const {
    return W.Watch && W.Of.makesObject(&S);
  }
  /// Whether \p S only computes.
  bool isInert(const Stmt &S) const {
    return W.Of.isInert(&S) && !makesObject(S);
  }

  std::vector<Work> Stack;
  std::vector<unsigned> Occurrences; ///< by statement
  const Stmt *Current = nullptr;
  unsigned NumCalls = 0; ///< that communicate
  unsigned NumUnknowns =
      0; ///< rounds of which this rank asked for the first time
  std::vector<EnteredRound> Entered;
  std::vector<LeftLoop> LeftLoops;
  GiveUp Why;
  unsigned InertForks = 0;
  std::map<const Stmt *, unsigned> QuietForks; ///< in functions that compute
  /// Where on the stack the outermost loop is that only computes.
  std::optional<std::size_t> InertFrom;
  std::map<const Stmt *, unsigned> InertSteps; ///< in such loops
  unsigned AllInertSteps = 0;
  std::set<const Stmt *> TooLong; ///< what is skipped from now on
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_LANE_H
