//===- LongLoops.cpp - Loops of many rounds that are alike ----------------===//
//
// A loop that goes on alike on all ranks is not run to its end: after its first
// rounds come its last ones, of which one may do what no other does.
//
//===----------------------------------------------------------------------===//

#include "Lane.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

/// Rounds after which a loop that goes on alike on all ranks may as well end.
static constexpr unsigned EnoughTrips = 12;
/// The same once the loop was met twice, as inside another one.
static constexpr unsigned EnoughTripsAgain = 3;
/// What as many rounds as above may take of a rank's steps, or they are fewer.
static constexpr unsigned ShareOfLoop = 8;
/// So many rounds are left out, or a multiple: what is done each second, third
/// or fourth time stays in step.
static constexpr std::int64_t Rhythm = 12;

/// The same on all ranks, whatever else each of them does.
unsigned Lane::enoughTrips(const Work &K) const {
  if (K.Occurrence >= 2)
    return EnoughTripsAgain;
  const unsigned Enough = std::max(EnoughTrips, 2 * W.NumLanes);
  return isLong(K) && !W.Watch ? W.NumLanes + 1 : Enough;
}

bool Lane::isLong(const Work &K) const {
  const unsigned Enough = std::max(EnoughTrips, 2 * W.NumLanes);
  return std::uint64_t(W.Of.length(K.S)) * Enough * ShareOfLoop >
         MaxSteps / W.NumLanes;
}

/// A smaller number of rounds would do as well where \p Test, which says that
/// there is another one, is no matter of ranks. One that only their number
/// decides is of more than a list of ranks has.
bool Lane::mayEnd(const Work &K, const Value &Test) const {
  const unsigned Pairs = W.NumLanes * W.NumLanes;
  const unsigned Enough =
      isLong(K) ? 2 * W.NumLanes : std::max(2 * EnoughTrips, Pairs);
  return !Test.OfRanks || (!Test.OfRank && K.Trips > Enough);
}

bool Lane::isEndless(const Work &K) const {
  return !K.S->Value && K.Trips > EnoughTrips;
}

/// What \p S adds to a counter, `++i` or `i += n`; null: it does something
/// else.
static const Expr *addedBy(const Stmt *S, const Expr &Counter) {
  if (!S)
    return nullptr;
  if (S->Kind == StmtKind::Sequence && S->Body.size() == 1)
    return addedBy(S->Body[0], Counter);
  const auto IsCounter = [&](const Expr *E) {
    return E->Kind == ExprKind::Variable && E->Number == Counter.Number;
  };
  const Expr *V = S->Value;
  return S->Kind == StmtKind::Assign && IsCounter(S->Target) &&
                 V->Kind == ExprKind::Binary && V->Op == Operator::Add &&
                 V->Operands[0]->Kind == ExprKind::Load &&
                 IsCounter(V->Operands[0]->Operands[0])
             ? V->Operands[1]
             : nullptr;
}

/// What a loop counts, and in which steps.
struct Counting {
  const Expr *Counter = nullptr, *Step = nullptr;
};

/// `i < n`, `i <= n` or `i != n`, where \p Loop counts i.
static Counting counterOf(const Stmt &Loop) {
  const Expr *Test = Loop.Value;
  if (!Test || Test->Kind != ExprKind::Binary ||
      (Test->Op != Operator::Less && Test->Op != Operator::LessEqual &&
       Test->Op != Operator::Unequal) ||
      Test->Operands[0]->Kind != ExprKind::Load)
    return {};
  const Expr *Counter = Test->Operands[0]->Operands[0];
  return Counter->Kind == ExprKind::Variable
             ? Counting{Counter, addedBy(Loop.Body[2], *Counter)}
             : Counting();
}

void Lane::leaveOut(const Work &K, std::optional<std::int64_t> Rounds) {
  if (NumCalls != K.CallsBefore)
    ++LeftOut[{Rounds ? nullptr : K.S, Rounds.value_or(0)}];
}

bool Lane::goesToLast(Work &K) {
  if (K.NearEnd)
    return true;
  const auto [Counter, Step] = counterOf(*K.S);
  Value Now, End, By;
  if (Step)
    quietly([&] {
      By = eval(Step);
      Now = eval(K.S->Value->Operands[0]);
      End = eval(K.S->Value->Operands[1]);
    });
  // Of `i != n`, larger steps may not come to the end.
  const bool IsStep =
      By.isInteger() && !By.OfRank &&
      (K.S->Value->Op == Operator::Unequal ? By.Integer == 1 : By.Integer > 0);
  if (!IsStep || !Now.isInteger() || !End.isInteger())
    return leaveOut(K, std::nullopt), false;
  const std::int64_t Last =
      End.Integer - (K.S->Value->Op == Operator::LessEqual ? 0 : 1);
  const std::int64_t Rounds = (Last - Now.Integer) / By.Integer; // but the last
  if (Last < Now.Integer || K.Occurrence >= 2 || isLong(K))
    return leaveOut(K, Rounds + 1), false;
  K.NearEnd = true;
  if (const std::int64_t Left = Rounds / Rhythm * Rhythm) {
    assign(Counter, Value::integer(Now.Integer + Left * By.Integer));
    leaveOut(K, Left);
  }
  return true;
}

} // namespace spmd::collectives
