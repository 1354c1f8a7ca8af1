//===- Shape.h - What statements do, seen from outside ----------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_SHAPE_H
#define SPMD_COLLECTIVES_SHAPE_H

#include "spmd/collectives/EffectProgram.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace spmd::collectives {

/// Whether any function is so that \p S calls, or leaves to others to call.
bool anyNamed(const Stmt *S, llvm::function_ref<bool(unsigned)> Is);

class Shape {
public:
  explicit Shape(const EffectProgram &P);

  /// Nothing in it communicates or leaves it.
  bool isInert(const Stmt *S) const;
  /// Nothing in it communicates, but for code that is not seen, and where it
  /// may be left for, nothing does either.
  bool isSilent(const Stmt *S) const;
  /// All that is sent may be received there: what ranks do is in view. Of main,
  /// always; of others, where they both send and receive.
  bool exchanges(const Function &F) const;
  /// It both sends and receives, or does neither: one round of it may be right
  /// by itself.
  bool takesWhatItSends(const Stmt *S) const;
  /// It calls a library that communicates, itself or by what it calls, or has
  /// called.
  bool hasEvents(unsigned Function) const { return HasEvents[Function]; }
  /// It sends or receives messages, itself or by what it calls.
  bool hasMessages(const Function &F) const;
  /// It begins what goes on without it, or is to be freed, itself or by what it
  /// calls, or has called: a request, work on a stream, a communicator.
  bool mayGoOn(unsigned Function) const { return GoesOn[Function]; }
  /// Those that \p F calls, or has others call, and that call collectives, or
  /// call what does.
  std::set<unsigned> callees(const Function &F) const;
  /// How many statements are in it, and in what it calls.
  unsigned length(const Stmt *S) const { return length(S, 0); }
  /// The places that it may write.
  void writes(const Stmt *S, std::vector<const Expr *> &Out) const {
    writes(S, Out, 0);
  }

  /// The values that \p S gives to a variable; for that of a call that is not
  /// seen, what is called. False: and others.
  bool given(const Stmt *S, unsigned Variable,
             std::vector<const Expr *> &Out) const;

  /// Whether what \p S gives to a variable is made of what differs between
  /// ranks, or hangs on it, as types say.
  bool givesVarying(const Stmt *S, unsigned Variable) const;

  /// Whether all that the program asks of remainders by \p Divisor is whether
  /// they are one and the same number, as `step % 100 == 99` does.
  bool isPeriod(std::int64_t Divisor) const {
    const auto Of = Remainders.find(Divisor);
    return Of != Remainders.end() && Of->second.size() == 1 &&
           !UsedRemainders.count(Divisor);
  }

  /// The program ends in it, and until then it does nothing that others wait
  /// for.
  bool endsProgram(const Stmt *S) const { return endsProgram(S, 0); }

  /// Whichever function \p Call calls, all of it is seen, and communicates
  /// nothing; it may end the program.
  bool sendsNothing(const Stmt &Call) const;

  /// The same, and it changes nothing that outlives it: what is asked twice of
  /// one object is one answer.
  bool onlyAsks(const Stmt &Call) const;

  /// The arm, 0 or 1, of the condition \p S in which the program ends, where
  /// it does in one alone.
  std::optional<unsigned> endingArm(const Stmt *S) const;

  /// Of a condition of nothing but messages, the parts that ask whether these
  /// have any elements, as \p `if (n > 0) send(x, n, ...)` does.
  llvm::ArrayRef<const Expr *> ownCounts(const Stmt *If) const;

  /// It makes an object that knows what its virtual methods are.
  bool makesObject(const Stmt *S) const { return makesObject(S, 0); }

  /// A call of a function that only computes.
  bool isQuietCall(const Stmt *S) const {
    return S->Kind == StmtKind::Call && isQuiet(S);
  }

private:
  /// Calls of functions that are inside others to be followed.
  static constexpr unsigned MaxCallsInside = 4;

  bool isQuiet(const Stmt *S) const;
  bool talks(const Stmt *S) const;
  bool messagesIn(const Stmt *S, std::vector<const Stmt *> &Out) const;
  bool staysSilent(const Stmt *S) const;
  bool markSilent(const Stmt *S, bool Rest, bool Around) const;
  bool hasEvents(const Stmt *S) const;
  bool goesOn(const Stmt *S) const;
  bool endsProgram(const Stmt *S, unsigned Depth) const;
  bool makesObject(const Stmt *S, unsigned Depth) const;
  /// It communicates nothing, and is not left.
  bool isPlain(const Stmt *S) const;
  /// It says something, and ends the program.
  bool isError(const Stmt *S) const;
  bool calls(const Stmt *S, rules::CallKind K, unsigned Depth) const;
  unsigned length(const Stmt *S, unsigned Depth) const;
  void addCallees(const Stmt *S, std::set<unsigned> &Out) const;
  void writes(const Stmt *S, std::vector<const Expr *> &Out,
              unsigned Depth) const;
  bool writesOfCallee(const Stmt &Call, std::vector<const Expr *> &Out,
                      unsigned Depth) const;
  bool leadsInto(const Expr *E, const Function &Callee,
                 std::vector<const Expr *> &Out, unsigned Depth) const;
  const Expr *seenByCaller(const Expr *E, const Function &Callee,
                           const Stmt &Call) const;

  const EffectProgram &P;
  mutable llvm::DenseMap<const Stmt *, bool> Inert;        ///< once asked for
  mutable llvm::DenseMap<const Stmt *, bool> Silent;       ///< of all, or empty
  mutable llvm::DenseMap<const Stmt *, bool> Asks, Errors; ///< once asked for
  mutable std::map<const Stmt *, llvm::SmallVector<const Expr *, 2>> OwnCounts;
  mutable llvm::DenseMap<const Stmt *, unsigned> Lengths;
  mutable llvm::DenseMap<const Stmt *, bool> Objects; ///< made, once asked for
  /// What calls write, in their callers' words, once asked for.
  mutable std::map<const Stmt *, std::vector<const Expr *>> CallWrites;
  mutable std::deque<Expr> InCallersWords;
  mutable llvm::DenseMap<const Stmt *, std::set<unsigned>> Varying;
  /// By divisor, what remainders are compared with.
  std::map<std::int64_t, std::set<std::int64_t>> Remainders;
  std::set<std::int64_t> UsedRemainders; ///< divisors of other ones
  // By function
  std::vector<bool> Communicates; ///< or is left in another way
  std::vector<bool> HasEvents;    ///< calls of libraries, itself or by others
  std::vector<bool> IsLoud;       ///< or may end the program
  std::vector<bool> GoesOn;
  std::vector<bool> Talks; ///< communicates, or calls code that is not seen
};

/// `n % Divisor` that is compared with a number.
struct RemainderTest {
  const Expr *Of = nullptr; ///< `n`
  std::int64_t Divisor = 0, To = 0;
  bool IsEqual = false; ///< or must be another one
};
std::optional<RemainderTest> remainderTest(const Expr *E);

/// The place that is written when one of an array is.
const Expr *written(const Expr *Place);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_SHAPE_H
