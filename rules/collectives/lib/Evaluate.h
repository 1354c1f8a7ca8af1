//===- Evaluate.h - What expressions are on one rank ------------*- C++ -*-===//
//
// With the storage that they read, and the choices that are made of what is not
// known.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_EVALUATE_H
#define SPMD_COLLECTIVES_EVALUATE_H

#include "Choices.h"
#include "FlatMap.h"
#include "Memory.h"
#include "Shape.h"

#include <map>
#include <set>

namespace spmd::collectives {

/// What the runs of a program have come to.
struct Covered {
  std::set<unsigned> Functions;
  /// Collectives of which it is known whose ranks make them.
  std::set<const Stmt *> Matched;
};

/// Objects by variables, or the other way round.
using NumberMap = FlatMap<unsigned, unsigned, 4>;

/// What a communicator is over, as its place is declared.
struct DeclaredAxes {
  std::string Names; ///< with commas between
  bool IsAxis = false;
};

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
  virtual void ends(const NumberMap &Objects, const Stmt *By) = 0;
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
  /// The axes of communicators, as the place is declared that a rank first
  /// came to them by.
  std::map<std::pair<ValueKind, unsigned>, DeclaredAxes> AxesOf = {};
  /// So are numbers that are declared so.
  bool BelievesDeclared = false;
  /// So many more rounds than were run some loop has come to: see decidePeriod.
  std::int64_t RoundsLeftOut = 0;
  Watcher *Watch = nullptr;
  Covered *Seen = nullptr;
  /// On what it hangs which calls ranks make, and with what.
  Reasons Matters = {};
  /// On what it hangs which code that is not seen they run: it communicates,
  /// perhaps, and may be why calls do not match.
  Reasons MattersToUnseen = {};
};

/// Communicators that every program has; others follow.
enum : unsigned { WorldComm, SelfComm, NullComm, NumFixedComms };

class Evaluator {
public:
  Value eval(const Expr *E);
  std::optional<Location> place(const Expr *E);
  void assign(const Expr *Place, Value V);
  /// Where \p V points to; symbols point to storage of their own.
  std::optional<Location> target(const Value &V);

  /// Whether it is a parameter's.
  bool isArgument(unsigned Object) const;
  /// Whether a global variable has it, or a part of one.
  bool isInGlobal(const Value &V) const;

  Memory Data;
  const unsigned Number;
  /// Objects of variables that are no globals.
  NumberMap Locals;

protected:
  Evaluator(World &W, unsigned Number, bool IsMain)
      : Data(W.Known), Number(Number), W(W), IsMain(IsMain), Frames(1) {}

  bool decide(const Expr *E);
  /// Whether it holds in a loop of which nobody knows how often it goes round:
  /// each tenth time is each second one, as more are not tried. None: it asks
  /// for no such thing.
  std::optional<bool> decidePeriod(const Expr *E);
  /// As decide, but what is not known yet is taken to be so that \p E is
  /// \p Answer, and never otherwise.
  bool assume(const Expr *E, bool Answer);
  /// None: something would have to be asked.
  std::optional<bool> decideQuietly(const Expr *Condition);
  void quietly(llvm::function_ref<void()> Do);
  bool isTrue(const Value &V);
  Value compare(Operator Op, const Value &L, const Value &R);

  void enterFrame(const Function &F, llvm::ArrayRef<Value> Arguments,
                  const Expr *ResultIn);
  /// The innermost function's, in its caller's frame.
  void assignResult(const Value &Result);
  void endFrame();
  unsigned depth() const { return Frames.size(); }

  World &W;
  const bool IsMain;
  const Stmt *Doing = nullptr; ///< the last that stands in the source
  bool HasFewRounds = false;   ///< of a loop that may have any number
  bool Asked = false;          ///< whether something is so that may not be
  Reasons Choosing;            ///< the choices that say what was asked

  /// What code that is not seen, or only asked, makes of \p Of.
  Value opaque(llvm::StringRef What, llvm::ArrayRef<Value> Of);

private:
  struct Frame {
    NumberMap Objects = {}; ///< by variable
    const Expr *ResultIn = nullptr;
  };

  bool ask(const Relation &R);
  std::optional<Location> located(const Expr *E);
  Value fresh(const Expr *Unknown);
  Value named(const Expr *E);
  bool isReduced(Location At, unsigned Symbol) const;
  Value load(const Expr *E);
  /// And, Or: the right side only where it counts.
  Value logical(const Expr *E);
  Value unary(Operator Op, const Value &V);
  Value binary(Operator Op, const Value &L, const Value &R);
  Value arithmetic(Operator Op, const Value &L, const Value &R);
  Value ofUnknown(Operator Op, const Value &L, const Value &R);
  Value compareSymbol(Operator Op, Value L, Value R);
  Value apply(const Expr *E);
  unsigned objectOf(unsigned Variable);
  unsigned addObject(const Variable &V, unsigned Number);

  std::vector<Frame> Frames;
  NumberMap Globals;
  std::map<std::string, unsigned> BehindSymbols;
  llvm::DenseMap<unsigned, unsigned> Evaluations; ///< by unknown
  bool Quiet = false;                             ///< ask nothing
  std::optional<bool> Assumed;                    ///< what is asked is so
  bool Undecided = false; ///< what would have been asked
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_EVALUATE_H
