//===- Lane.h - One rank's run of a program ---------------------*- C++ -*-===//
//
// Runs until it gets to a call of a communication library, which is for others
// to do, or to its end.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_LANE_H
#define SPMD_COLLECTIVES_LANE_H

#include "Caps.h"
#include "Choices.h"
#include "Memory.h"
#include "Shape.h"

#include "spmd/collectives/GiveUp.h"

#include <set>

namespace spmd::collectives {

/// Is told what a rank does with its storage.
class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void reads(Location At, const Stmt *By) = 0;
  virtual void writes(Location At, const Stmt *By) = 0;
  /// What is there may be anything, and others may have what was there.
  virtual void forgets(Location At) = 0;
  /// An access, an end, a stream.
  virtual void meets(const Stmt &S) = 0;
  /// The variables of a function that ends at \p By.
  virtual void ends(const std::map<unsigned, unsigned> &Objects,
                    const Stmt *By) = 0;
  /// A statement that is left out, as nobody knows how often it is done.
  virtual void skips(const Stmt &S) = 0;
  /// What the caller of all gets, or a function that is not seen.
  virtual void gives(const Value &V) = 0;
  virtual void decides(const Stmt &S, unsigned Occurrence, bool Chosen) = 0;
};

/// What all ranks of a run have in common.
struct World {
  const EffectProgram &P;
  const Shape &Of;
  Symbols &Known;
  Choices &Choose;
  unsigned NumLanes = 0;
  unsigned StepsLeft = 0;
  /// Numbers that ranks were compared with.
  std::set<std::int64_t> &Compared;
  /// Numbers that the number of ranks was compared with: the program may be
  /// made for no more.
  std::set<std::int64_t> &Limits;
  /// Symbols that are reduced over the ranks, so that they may differ.
  const std::set<std::string> &Reduced;
  /// Such ones that this run has found.
  std::set<std::string> &NewlyReduced;
  /// Symbols that are the caller's rank, or the number of ranks.
  std::set<std::string> RankSymbols = {}, SizeSymbols = {};
  /// So are numbers that are declared so.
  bool BelievesDeclared = false;
  Watcher *Watch = nullptr;
};

/// Communicators that every program has; others follow.
enum : unsigned { WorldComm, SelfComm, NullComm, NumFixedComms };

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

class Lane {
public:
  enum class State : std::uint8_t { AtCall, AtOpaque, Ended, Exited, GaveUp };

  Lane(World &W, unsigned Number, const Function &Root);

  /// Runs up to the next call.
  State run();
  /// The call or the opaque code where it is.
  const Stmt &current() const { return *Current; }
  /// Why it gave up.
  const GiveUp &why() const { return Why; }

  Value eval(const Expr *E);
  std::optional<Location> place(const Expr *E);
  void assign(const Expr *Place, Value V);
  /// Where \p V points to; symbols point to storage of their own.
  std::optional<Location> target(const Value &V);
  /// A key that ranks share that come to \p S as often.
  std::string keyOf(const Stmt &S, llvm::StringRef What) const;
  Context context() const;

  Memory Data;
  const unsigned Number;
  std::vector<Jump> Jumps;
  /// Objects of variables that are no globals.
  std::map<unsigned, unsigned> Locals;
  /// By statement and occurrence: the arms taken.
  std::map<std::pair<const Stmt *, unsigned>, unsigned> Taken;

private:
  struct Frame {
    std::map<unsigned, unsigned> Objects; ///< by variable
    const Expr *ResultIn = nullptr;
  };
  struct Work {
    const Stmt *S = nullptr;
    unsigned Next = 0;
    unsigned Trips = 0;
    unsigned Occurrence = 0;
    std::optional<unsigned> Decided = std::nullopt; ///< the last one, and its
    unsigned Arm = 0;
  };

  //===--- Statements (Lane.cpp) --------------------------------------------//

  State giveUp(GiveUpReason R);
  std::optional<State> step();
  void push(const Stmt *S);
  void doIf(Work &W);
  std::optional<State> doLoop(Work &W);
  void doSwitch(Work &W);
  std::optional<State> call(const Stmt &S);
  State callUnknown(const Stmt &S, llvm::ArrayRef<Value> Arguments);
  void enter(const Function &F, llvm::ArrayRef<Value> Arguments,
             const Expr *ResultIn);
  void leave(const Stmt &S, const Value *Result);
  bool breakOut(bool Continues);
  bool leaveBlock(unsigned Label);
  bool unwind();
  void decided(Work &W, unsigned Arm, bool Chosen = false);
  void endFrame();
  void forgetWrites(const Stmt &S);
  bool takesTooLong(const Stmt *Loop);
  bool leavesQuietCall(const Stmt &Asking);
  void leaveInertLoop();
  void skipLoop();
  unsigned enoughTrips(const Work &W) const;
  std::optional<bool> decideQuietly(const Expr *Condition);
  bool isGuess() const;

  //===--- Expressions (Evaluate.cpp) ---------------------------------------//

  bool decide(const Expr *E);
  bool isTrue(const Value &V);
  bool ask(const Relation &R);
  Value unary(Operator Op, const Value &V);
  Value binary(Operator Op, const Value &L, const Value &R);
  Value arithmetic(Operator Op, const Value &L, const Value &R);
  Value compare(Operator Op, const Value &L, const Value &R);
  Value compareSymbol(Operator Op, Value L, Value R);
  Value apply(const Expr *E);
  Value opaque(llvm::StringRef What, llvm::ArrayRef<Value> Of);
  unsigned objectOf(unsigned Variable);
  unsigned addObject(const Variable &V, unsigned Number);

  World &W;
  std::vector<Work> Stack;
  std::vector<Frame> Frames;
  std::map<unsigned, unsigned> Globals;
  std::map<std::string, unsigned> BehindSymbols;
  std::map<unsigned, unsigned> Occurrences; ///< by statement
  std::map<unsigned, unsigned> Evaluations; ///< by unknown
  const Stmt *Current = nullptr;
  const Stmt *Doing = nullptr; ///< the last that stands in the source
  GiveUp Why;
  bool IsMain = false;
  bool Quiet = false;     ///< ask nothing
  bool Undecided = false; ///< what would have been asked
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
