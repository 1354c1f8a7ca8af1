//===- PairRun.cpp - Ranks that communicate, run --------------------------===//
//
// Each rank is first taken through its branches and loops, which depend on
// numbers alone; then all of them go on, each up to where it has to wait.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/Pairs.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <map>

namespace spmd::oracle::pairs {

int valueOf(Term T, const Inputs &In, int Rank, int Size) {
  switch (T) {
  case Term::Zero:
    return 0;
  case Term::One:
    return 1;
  case Term::Two:
    return 2;
  case Term::Three:
    return 3;
  case Term::Rank:
    return Rank;
  case Term::RankMod2:
    return Rank % 2;
  case Term::RankDiv2:
    return Rank / 2;
  case Term::Last:
    return Size - 1;
  case Term::Size:
    return Size;
  case Term::Flag:
    return In.Flag;
  case Term::Other:
    return In.Other;
  case Term::Own:
    return In.Own >> Rank & 1;
  case Term::Next:
    return (Rank + 1) % Size;
  case Term::Previous:
    return (Rank + Size - 1) % Size;
  case Term::Partner:
    return Rank ^ 1;
  }
  return 0;
}

namespace {

/// One rank's way through its branches.
class Unroll {
public:
  Unroll(const Inputs &In, int Rank, int Size)
      : In(In), Rank(Rank), Size(Size) {}

  /// False: it returned.
  bool go(const std::vector<Action> &Body) {
    for (const Action &A : Body)
      if (!go(A))
        return false;
    return true;
  }
  std::vector<Step> Out;

private:
  int value(Term T) const { return valueOf(T, In, Rank, Size); }
  bool holds(const Condition &C) const {
    const int L = value(C.L), R = value(C.R);
    return C.Is == Test::Always    ? true
           : C.Is == Test::Equal   ? L == R
           : C.Is == Test::Unequal ? L != R
                                   : L < R;
  }
  bool go(const Action &A) {
    if (A.Does == Act::Return)
      return false;
    if (A.Does == Act::If)
      return go(holds(A.If) ? A.Then : A.Else);
    if (A.Does == Act::Loop) {
      for (int I = 0; I < value(A.Rounds); ++I)
        if (!go(A.Then))
          return false;
      return true;
    }
    Out.push_back({&A, value(A.Root), value(A.Peer)});
    return true;
  }

  const Inputs &In;
  int Rank, Size;
};

using Members = std::vector<int>;

/// A call that some ranks wait for.
struct Posted {
  const Step *Call = nullptr;
  int Rank = 0;
  bool Done = false;
};

class Matcher {
public:
  Matcher(const Program &P, const Inputs &In, int Size);
  Outcome run();

private:
  struct RankState {
    std::vector<Step> Steps;
    std::size_t At = 0;
    std::vector<Posted *> For; ///< what it waits for
    std::map<unsigned, std::vector<Posted *>> Requests;
    std::vector<const Members *> Comms; ///< null: none
    std::map<const Members *, unsigned> Calls;
    unsigned Depth = 0;
    std::vector<Posted *> Grouped;
    bool atEnd() const { return At == Steps.size() && For.empty(); }
  };

  void advance(int Rank);
  void take(int Rank, const Step &S);
  void collective(int Rank, const Step &S);
  void message(int Rank, const Step &S);
  void leaveTo(int Rank, const Action &A, Posted *O);
  void compare(const Posted &A, const Posted &B);
  void fail(const std::string &Why) {
    if (Out.Wrong.empty())
      Out.Wrong = Why;
  }

  std::deque<Members> All;
  std::deque<RankState> Ranks;
  std::deque<Posted> Calls;
  std::map<std::pair<const Members *, unsigned>, std::vector<Posted *>> Slots;
  std::vector<std::pair<Posted *, const Members *>> Messages;
  Outcome Out;
};

} // namespace

std::vector<Step> stepsOf(const Program &P, const Inputs &In, int Rank,
                          int Size) {
  Unroll U(In, Rank, Size);
  U.go(P.Body);
  return std::move(U.Out);
}

Matcher::Matcher(const Program &P, const Inputs &In, int Size) {
  Members World;
  for (int R = 0; R != Size; ++R)
    World.push_back(R);
  All.push_back(World);
  for (int R = 0; R != Size; ++R) {
    Ranks.emplace_back();
    Ranks.back().Steps = stepsOf(P, In, R, Size);
    Ranks.back().Comms.push_back(&All.front());
  }
  for (const Split &S : P.Splits) {
    std::map<int, Members> By;
    for (int R = 0; R != Size; ++R)
      By[valueOf(S.Colour, In, R, Size)].push_back(R);
    std::map<int, const Members *> Made;
    for (auto &[Colour, Of] : By) {
      All.push_back(Of);
      Made[Colour] = S.WithoutZero && Colour == 0 ? nullptr : &All.back();
    }
    for (int R = 0; R != Size; ++R)
      Ranks[R].Comms.push_back(Made[valueOf(S.Colour, In, R, Size)]);
  }
  for (const RankState &R : Ranks)
    for (const Step &S : R.Steps)
      Out.IsNothing |=
          (S.Does->Does == Act::Send || S.Does->Does == Act::Recv) &&
          (S.Peer < 0 || S.Peer >= Size);
  All.push_back(World); // NCCL's
  for (RankState &R : Ranks)
    R.Comms.push_back(&All.back());
}

/// What must be the same, or fit.
void Matcher::compare(const Posted &A, const Posted &B) {
  const Action &X = *A.Call->Does, &Y = *B.Call->Does;
  if (X.Of != Y.Of || X.Nonblocking != Y.Nonblocking)
    return fail("other calls");
  const bool HasRoot = X.Of == Shape::Broadcast || X.Of == Shape::Reduce ||
                       X.Of == Shape::Gather || X.Of == Shape::Scatter;
  if (HasRoot && A.Call->Root != B.Call->Root)
    fail("another root");
  const bool Reduces = X.Of == Shape::Reduce || X.Of == Shape::AllReduce ||
                       X.Of == Shape::Scan || X.Of == Shape::ReduceScatter;
  if (Reduces && X.Op != Y.Op)
    fail("another reduction");
  if (X.Of != Shape::Barrier && (X.Count || Y.Count) && X.Type != Y.Type)
    fail("another type");
  if (X.Of != Shape::Barrier && X.Count != Y.Count)
    fail("another count");
}

void Matcher::leaveTo(int Rank, const Action &A, Posted *O) {
  RankState &R = Ranks[Rank];
  if (A.OnStream && R.Depth)
    R.Grouped.push_back(O);
  else if (A.Nonblocking)
    R.Requests[A.Request] = {O};
  else
    R.For = {O};
}

void Matcher::collective(int Rank, const Step &S) {
  RankState &R = Ranks[Rank];
  const Action &A = *S.Does;
  const Members *On = R.Comms[A.Comm];
  if (!On)
    return fail("no communicator");
  const bool HasRoot = A.Of == Shape::Broadcast || A.Of == Shape::Reduce ||
                       A.Of == Shape::Gather || A.Of == Shape::Scatter;
  if (HasRoot) {
    const bool Fits = S.Root >= 0 && S.Root < static_cast<int>(On->size());
    Out.Roots.emplace_back(A.Line, Fits);
    Out.IsNothing |= !Fits;
  }
  Calls.push_back({&S, Rank});
  Posted *O = &Calls.back();
  std::vector<Posted *> &Slot = Slots[{On, R.Calls[On]++}];
  for (const Posted *Before : Slot)
    compare(*Before, *O);
  Slot.push_back(O);
  if (Slot.size() == On->size())
    for (Posted *P : Slot)
      P->Done = true;
  leaveTo(Rank, A, O);
}

void Matcher::message(int Rank, const Step &S) {
  RankState &R = Ranks[Rank];
  const Action &A = *S.Does;
  const Members *On = R.Comms[A.Comm];
  if (!On)
    return fail("no communicator");
  if (S.Peer < 0 || S.Peer >= static_cast<int>(On->size())) {
    Out.IsNothing = true;
    return;
  }
  Calls.push_back({&S, Rank});
  Posted *O = &Calls.back();
  for (auto It = Messages.begin(); It != Messages.end(); ++It) {
    Posted &Q = *It->first;
    const Action &B = *Q.Call->Does;
    if (It->second != On || B.Does == A.Does || (*On)[S.Peer] != Q.Rank ||
        (*On)[Q.Call->Peer] != Rank || A.Tag != B.Tag)
      continue;
    const Action &Send = A.Does == Act::Send ? A : B;
    const Action &Recv = A.Does == Act::Send ? B : A;
    if (Send.Count && Recv.Count && Send.Type != Recv.Type)
      fail("a message of another type");
    if (Send.OnStream ? Recv.Count != Send.Count : Recv.Count < Send.Count)
      fail("a message that does not fit");
    O->Done = Q.Done = true;
    Messages.erase(It);
    return leaveTo(Rank, A, O);
  }
  Messages.emplace_back(O, On);
  leaveTo(Rank, A, O);
}

void Matcher::take(int Rank, const Step &S) {
  RankState &R = Ranks[Rank];
  const Action &A = *S.Does;
  switch (A.Does) {
  case Act::Collective:
    return collective(Rank, S);
  case Act::Send:
  case Act::Recv:
    return message(Rank, S);
  case Act::Wait:
    R.For = std::exchange(R.Requests[A.Request], {});
    return;
  case Act::Rebind:
    R.Comms[A.Comm] = R.Comms[A.In];
    return;
  case Act::GroupBegin:
    ++R.Depth;
    return;
  case Act::GroupEnd:
    if (R.Depth && --R.Depth == 0)
      R.For = std::exchange(R.Grouped, {});
    return;
  default:
    return;
  }
}

void Matcher::advance(int Rank) {
  RankState &R = Ranks[Rank];
  while (R.At != R.Steps.size() && R.For.empty() && Out.Wrong.empty()) {
    take(Rank, R.Steps[R.At++]);
    llvm::erase_if(R.For, [](const Posted *O) { return O->Done; });
  }
}

Outcome Matcher::run() {
  std::size_t Before = ~std::size_t(0);
  for (;;) {
    std::size_t Progress = 0;
    for (int I = 0; I != static_cast<int>(Ranks.size()); ++I) {
      llvm::erase_if(Ranks[I].For, [](const Posted *O) { return O->Done; });
      advance(I);
      Progress += Ranks[I].At + (Ranks[I].For.empty() ? 1 : 0);
    }
    if (Progress == Before || !Out.Wrong.empty())
      break;
    Before = Progress;
  }
  for (const RankState &R : Ranks)
    for (const Posted *O : R.For)
      Out.OfMessages |= O->Call->Does->Does != Act::Collective;
  if (Out.Wrong.empty() &&
      !llvm::all_of(Ranks, [](const RankState &R) { return R.atEnd(); }))
    Out.Wrong = "some wait for ever";
  for (const auto &[At, Slot] : Slots)
    if (Out.Wrong.empty() && Slot.size() != At.first->size())
      Out.Wrong = "a call that is begun on some ranks only";
  return std::move(Out);
}

Outcome run(const Program &P, const Inputs &In, int Size) {
  return Matcher(P, In, Size).run();
}

} // namespace spmd::oracle::pairs
