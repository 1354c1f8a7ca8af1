//===- Loops.cpp - Rounds of a rank's loops -------------------------------===//
//
// A loop that goes on alike on all ranks is not run to its end: after its first
// rounds come its last ones, of which one may do what no other does. Of one
// that only computes a few are run, and of one whose end nobody knows fewer.
//
//===----------------------------------------------------------------------===//

#include "Lane.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

/// Rounds of a loop whose end is not known.
static constexpr unsigned MaxUnknownTrips = 2;
/// The same where two buffers may take turns.
static constexpr unsigned MaxWatchedTrips = 3;
/// Rounds of a loop that only computes; its results are unknown then.
static constexpr unsigned MaxInertTrips = 64;
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
  if (W.Watch)
    return bringsWays(K) ? MaxWatchedTrips : Enough;
  return isLong(K) ? W.NumLanes + 1 : Enough;
}

/// Where each round brings loops of which nobody knows how often they go round,
/// it has as many ways more.
bool Lane::bringsWays(const Work &K) const {
  return K.Trips > 1 && NumUnknowns - K.UnknownsBefore >= K.Trips;
}

bool Lane::isLong(const Work &K) const {
  const unsigned Enough = std::max(EnoughTrips, 2 * W.NumLanes);
  return bringsWays(K) ||
         std::uint64_t(W.Of.length(K.S)) * Enough * ShareOfLoop >
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

std::optional<Lane::State> Lane::doLoop(Work &K) {
  const Stmt &S = *K.S;
  const Stmt *Test = S.Body[0], *Body = S.Body[1], *Step = S.Body[2];
  // Next counts: 0 what a test needs, 1 the test, 2 the body, 3 the step.
  switch (K.Next) {
  case 0:
    if (K.Trips == 0) {
      K.CallsBefore = NumCalls;
      K.UnknownsBefore = NumUnknowns;
    }
    if (!InertFrom && K.Trips == 0 && isInert(S))
      InertFrom = Stack.size() - 1;
    K.Next = S.BodyFirst && K.Trips == 0 ? 2 : 1;
    if (K.Next == 1)
      push(Test);
    return std::nullopt;
  case 1: {
    K.Next = 2;
    if (!S.Value)
      return std::nullopt;
    const bool Inert = isInert(S);
    Asked = false;
    Choosing = {};
    std::optional<bool> Holds = decideQuietly(S.Value);
    const bool Chosen = !Holds;
    K.Guessed |= Asked; // by another rank before, perhaps
    if (W.Watch && Inert && !Holds && K.Trips == 0)
      Holds = true;
    // One round shows what is touched.
    const unsigned Most = !TooLong.count(&S) ? MaxInertTrips : !!W.Watch;
    if (Inert && (!Holds || K.Trips >= Most)) {
      skipLoop();
      return std::nullopt;
    }
    if (!Holds && leavesQuietCall(S))
      return std::nullopt;
    NumUnknowns += !Holds;
    if (!Holds) {
      Holds = K.Trips < (W.Watch ? MaxWatchedTrips : MaxUnknownTrips) &&
              decide(S.Value);
    } else if (*Holds && !Inert && K.Trips >= enoughTrips(K)) {
      bool Ends = false;
      quietly([&] { Ends = mayEnd(K, eval(S.Value)); });
      if (Ends)
        Holds = goesToLast(K);
    }
    decided(K, *Holds ? 0 : 1, Chosen);
    hangs(K);
    if (*Holds && Choosing.any())
      Entered.push_back({&S, NumCalls, Choosing});
    if (!*Holds)
      endDecided();
    return std::nullopt;
  }
  case 2:
    if (K.Trips > MaxTrips || isEndless(K)) {
      Doing = &S;
      return giveUp(GiveUpReason::Rounds);
    }
    ++K.Trips;
    K.Next = 3;
    push(Body);
    return std::nullopt;
  default:
    K.Next = 0;
    push(Step);
    return std::nullopt;
  }
}

} // namespace spmd::collectives
