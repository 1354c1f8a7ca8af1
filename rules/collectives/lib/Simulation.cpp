//===- Simulation.cpp - All ranks of a run --------------------------------===//

#include "Simulation.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

/// Times that a rank asks for nothing new before it counts as waiting.
static constexpr unsigned MaxPolls = 40;

const Value *Operation::argument(CallRole R) const {
  for (const auto &[Role, V] : Arguments)
    if (Role == R)
      return &V;
  return nullptr;
}

Simulation::Simulation(World &W, const Function &Root, const Base &On)
    : W(W), Root(Root), On(On) {
  Groups.resize(NumFixedComms);
  for (unsigned I = 0; I != W.NumLanes; ++I) {
    Ranks.push_back(std::make_unique<Rank>(W, I, Root));
    Groups[WorldComm].Lanes.push_back(I);
  }
  Groups[WorldComm].Key = "world";
  if (!On.Key.empty()) {
    Groups.push_back(Groups[WorldComm]);
    ForeignComms[On.Key] = NumFixedComms;
    Groups[NumFixedComms].Key = On.Key;
    Groups[WorldComm].IsForeign = true;
  }
}

/// Something is wrong for sure, and what follows is a way of several.
bool Simulation::isSettled() const {
  return Sure.Failures && W.Choose.made().size() > Sure.Choices;
}

Outcome Simulation::run() {
  while (!Unclear && !Stopped && !isSettled()) {
    bool Progress = false;
    for (const auto &R : Ranks)
      Progress |= advance(*R);
    Progress |= wake();
    if (!Progress)
      break;
  }
  // A rank that ends the program ends all.
  if (Stopped)
    return Outcome::Stopped;
  if ((Unclear || isSettled()) && Sure.Failures && W.Choose.isPossible() &&
      settleDoubts()) {
    Failures.resize(Sure.Failures);
    W.Matters = Sure.Matters;
    W.MattersToUnseen = {};
    return Outcome::Failed;
  }
  if (Unclear || !W.Choose.isPossible() || !settleDoubts())
    return Outcome::Unclear;
  if (!IsBroken)
    if (std::optional<Finding> F = explainStuck())
      fail(std::move(*F));
  if (!Failures.empty() && agreeOnUnmatched() && agreeOnLeftOut())
    return Outcome::Failed;
  for (const auto &R : Ranks)
    for (const Operation *O : R->For)
      if (!O->Done)
        giveUp(GiveUpReason::Unmatched, *O->At);
  return !Failures.empty() || llvm::any_of(Ranks,
                                           [](const auto &R) {
                                             return R->Is != Status::Ended;
                                           })
             ? Outcome::Unclear
             : Outcome::Fine;
}

/// What is left without a partner, or is compared just now, came behind them.
/// Nobody writes a loop that never has a round; but of a function that others
/// call, these may know better.
Reasons Simulation::enteredByAll() const {
  if (!Root.IsMain)
    return {};
  std::vector<unsigned> First(Ranks.size(), ~0u); // call that is left
  const auto IsLeft = [&](const Operation &O) {
    First[O.Lane] = std::min(First[O.Lane], O.Nth);
  };
  for (const Operation &O : Operations)
    if (!O.Done)
      IsLeft(O);
  llvm::for_each(Messages, [&](const Operation *O) { IsLeft(*O); });
  const auto AllEnter = [&](const Lane::EnteredRound &That) {
    return llvm::all_of(Ranks, [&](const auto &R) {
      return llvm::any_of(R->Run.enteredRounds(), [&](const auto &E) {
        return (E.Loop == That.Loop || E.By.meets(That.By)) &&
               E.LastCall < First[R->Run.Number];
      });
    });
  };
  const auto AllElseIn = [&](const Stmt *Loop, unsigned Lane) {
    return llvm::all_of(Ranks, [&](const auto &R) {
      const Operation *For = waitsFor(R->Run.Number);
      return R->Run.Number == Lane ||
             (For && llvm::any_of(For->Inside, [&](const Decision &D) {
                return D.At == Loop;
              }));
    });
  };
  Reasons Out;
  for (const auto &R : Ranks) {
    for (const Lane::EnteredRound &E : R->Run.enteredRounds())
      if (E.LastCall < First[R->Run.Number] && W.Of.takesWhatItSends(E.Loop) &&
          AllEnter(E))
        Out |= E.By;
    for (const Lane::LeftLoop &L : R->Run.leftLoops())
      if (W.Of.takesWhatItSends(L.Loop) && AllElseIn(L.Loop, R->Run.Number))
        Out |= L.By;
  }
  return Out;
}

/// Whether the first rank has a message for the last one, or from it: of as
/// many ranks, no program that is made for two has that.
bool Simulation::knowsLast() const {
  constexpr unsigned Least = 4;
  return Ranks.size() >= Least && llvm::any_of(Operations, [&](const auto &O) {
           return O.isMessage() && O.Lane == 0 && O.Peer == Ranks.size() - 1;
         });
}

void Simulation::giveUp(GiveUp G) {
  Unclear = true;
  if (!GivenUp)
    GivenUp = std::move(G);
}

/// Runs until it has to wait; true if it did anything.
bool Simulation::advance(Rank &R) {
  if (R.Is != Status::Ready)
    return false;
  while (R.Is == Status::Ready && !Unclear && !Stopped && !isSettled()) {
    switch (R.Run.run()) {
    case Lane::State::AtCall:
      dispatch(R, R.Run.current());
      break;
    case Lane::State::AtOpaque:
      R.Unmatched.push_back({.Name = R.Run.current().Name,
                             .HasNoComms = R.Run.current().HasNoComms});
      break;
    case Lane::State::Ended:
      R.Is = Status::Ended;
      break;
    case Lane::State::Exited:
      Stopped = true;
      break;
    case Lane::State::GaveUp:
      giveUp(R.Run.why());
      break;
    }
  }
  return true;
}

/// Lets those go on for whom all is done; true if there are any.
bool Simulation::wake() {
  bool Any = false;
  for (const auto &R : Ranks)
    for (Operation *O : R->For)
      if (O->Call->Kind == CallKind::Probe)
        O->Done |= isThere(*O);
  for (const auto &R : Ranks)
    if (R->Is == Status::Waiting &&
        llvm::all_of(R->For, [](const Operation *O) { return O->Done; })) {
      R->Is = Status::Ready;
      R->For.clear();
      Any = true;
    }
  if (Any)
    return true;
  // Only those that ask again and again are left.
  for (const auto &R : Ranks)
    if (R->Is == Status::Polling && ++R->Polls < MaxPolls) {
      R->Is = Status::Ready;
      Any = true;
    }
  return Any;
}

void Simulation::wait(Rank &R, std::vector<Operation *> For) {
  R.For = std::move(For);
  if (!llvm::all_of(R.For, [](const Operation *O) { return O->Done; }))
    R.Is = Status::Waiting;
}

/// Whether it is on other axes than what the ranks are of, so that it is
/// nothing for them to wait for each other in.
bool Simulation::isApart(const NotMatched &Call) const {
  const Group &Own = Groups[On.Key.empty() ? WorldComm : NumFixedComms];
  llvm::SmallVector<llvm::StringRef, 2> Here, There;
  llvm::StringRef(Own.Axes).split(Here, ',', -1, false);
  llvm::StringRef(Groups[Call.On].Axes).split(There, ',', -1, false);
  return !Here.empty() && !There.empty() &&
         llvm::none_of(Here, [&](llvm::StringRef Axis) {
           return llvm::is_contained(There, Axis);
         });
}

/// Whether the ranks' communicator was made in this run, and code that is not
/// seen has not got it.
bool Simulation::isOutOfReach() const {
  const Group &Own = Groups[On.Key.empty() ? WorldComm : NumFixedComms];
  if (!Own.Made || Own.ComesFromElsewhere)
    return false;
  const auto MayBeHanded = [](const NotMatched &Call) {
    return Call.On == WorldComm && !Call.HasNoComms;
  };
  return llvm::none_of(Ranks, [&](const auto &R) {
    return llvm::any_of(R->Unmatched, MayBeHanded) ||
           R->Run.isInGlobal(*Own.Made);
  });
}

/// The calls \p Of one who waits, but for those of functions that \p Other, who
/// is at its end, has none of \p Theirs of: they may ask for more, and what
/// would answer that for which it waits is not in them.
std::vector<Simulation::NotMatched>
Simulation::withoutOwn(llvm::ArrayRef<NotMatched> Of, const Rank &Waits,
                       llvm::ArrayRef<NotMatched> Theirs, const Rank &Other) {
  std::vector<NotMatched> Out = Of.vec();
  const auto IsLast = [](const Operation *O) {
    return O->Call->Kind == CallKind::Finalize;
  };
  const bool AtEnd =
      Other.Is == Status::Ended ||
      (Other.Is == Status::Waiting && llvm::all_of(Other.For, IsLast));
  if (Waits.Is == Status::Waiting && !llvm::all_of(Waits.For, IsLast) && AtEnd)
    llvm::erase_if(Out, [&](const NotMatched &Call) {
      return Call.HasNoComms &&
             llvm::none_of(Theirs, [&](const NotMatched &Their) {
               return Their.Name == Call.Name;
             });
    });
  return Out;
}

/// Calls on other communicators, and code that is not seen, may be what makes
/// up for the difference: ranks that wait must have made the same of them, and
/// those that left early no others. Who goes on alone, in the next iteration,
/// say, may make again what they all have made.
bool Simulation::agreeOnUnmatched() const {
  const bool OutOfReach = isOutOfReach();
  std::vector<std::vector<NotMatched>> Made;
  for (const auto &R : Ranks) {
    Made.push_back(R->Unmatched);
    llvm::erase_if(Made.back(), [&](const NotMatched &Call) {
      return isApart(Call) || (OutOfReach && Call.HasNoComms);
    });
  }
  for (unsigned I = 0; I != Ranks.size(); ++I)
    for (unsigned J = 0; J != Ranks.size(); ++J) {
      const auto &B = Made[J];
      const auto A = withoutOwn(Made[I], *Ranks[I], B, *Ranks[J]);
      const std::size_t Shared = std::min(A.size(), B.size());
      if (!std::equal(A.begin(), A.begin() + Shared, B.begin()))
        return false;
      const bool GoesOn =
          Ranks[J]->Is == Status::Ended || Ranks[I]->Is == Ranks[J]->Is;
      if (GoesOn &&
          !std::all_of(B.begin() + Shared, B.end(), [&](const NotMatched &C) {
            return llvm::is_contained(A, C);
          }))
        return false;
    }
  return true;
}

/// Where one rank has left out more rounds of its loops than another, what they
/// would have done may make up for the difference.
bool Simulation::agreeOnLeftOut() const {
  return llvm::all_of(Ranks, [&](const auto &R) {
    return R->Run.LeftOut == Ranks.front()->Run.LeftOut;
  });
}

Operation Simulation::evaluate(Rank &R, const Stmt &S) {
  Operation O;
  O.At = &S;
  O.Call = S.What.Call;
  O.HasCountLists = S.What.HasCountLists;
  O.Lane = R.Run.Number;
  O.Nth = R.Run.numCalls();
  for (const auto &[Role, E] : S.What.Arguments)
    O.Arguments.emplace_back(Role, R.Run.eval(E));
  O.Inside = R.Run.context();
  return O;
}

/// What ranks do themselves, and what gives all of them the same, is done alike
/// by any number of them.
static bool isForAnyNumber(CallKind K) {
  switch (K) {
  case CallKind::Rank:
  case CallKind::Size:
  case CallKind::Local:
  case CallKind::Barrier:
  case CallKind::Broadcast:
  case CallKind::AllReduce:
  case CallKind::Reduce:
  case CallKind::AllGather:
  case CallKind::ReduceScatter:
  case CallKind::AllToAll:
  case CallKind::CommDup:
  case CallKind::CommFree:
  case CallKind::HandleFree:
  case CallKind::Wait:
  case CallKind::Start:
  case CallKind::RequestFree:
  case CallKind::GroupBegin:
  case CallKind::GroupEnd:
  case CallKind::Finalize:
    return true;
  default:
    return false;
  }
}

/// The arguments of a call matter, and what was chosen of them.
void Simulation::noteMatters(const Rank &R, const Operation &O) {
  W.Matters |= R.Run.Data.Asked.without(Reasons::numberOfRanks());
  for (const auto &[Role, V] : O.Arguments) {
    W.Matters |= W.Choose.reasonsFor(V);
    if (V.OfRank || (V.OfRanks && Role == CallRole::Root))
      W.Matters |= Reasons::rank();
    if (Role == CallRole::Root && V.isInteger() && V.Integer != 0)
      W.Matters |= Reasons::numberOfRanks();
  }
  if (!isForAnyNumber(O.Call->Kind) || O.HasCountLists)
    W.Matters |= Reasons::numberOfRanks();
}

void Simulation::dispatch(Rank &R, const Stmt &S) {
  Operation O = evaluate(R, S);
  noteMatters(R, O);
  // Nobody who goes on checks for errors in vain.
  if (S.Target && O.Call->Returns == CallRole::Status)
    R.Run.assign(S.Target, Value::integer(0));
  if (hasNullOutput(O))
    fail(wrong(BadArgument::NullOutput, O));
  switch (O.Call->Kind) {
  case CallKind::Rank:
  case CallKind::Size:
    return ask(R, S, O);
  case CallKind::Send:
  case CallKind::Recv:
  case CallKind::SendRecv:
    return message(R, S, std::move(O));
  case CallKind::Probe:
    return probe(R, S, std::move(O));
  case CallKind::CommInit:
    return init(R, S, O);
  case CallKind::GroupOf:
  case CallKind::GroupPick:
  case CallKind::GroupDrop:
  case CallKind::GroupUnion:
  case CallKind::GroupIntersection:
  case CallKind::GroupDifference:
    return makeGroup(R, S, O);
  case CallKind::Put:
  case CallKind::Get:
  case CallKind::Accumulate:
    return access(R, S, std::move(O));
  case CallKind::WinLock:
  case CallKind::WinUnlock:
  case CallKind::WinFlush:
  case CallKind::WinStart:
  case CallKind::WinComplete:
    // Which ranks these wait for depends on time.
    R.Unmatched.push_back({O.Call->Name});
    return forgetLent(R, S);
  case CallKind::CommFree:
  case CallKind::HandleFree:
  case CallKind::Local:
    return local(R, S, O);
  case CallKind::Wait:
  case CallKind::Test:
  case CallKind::Start:
  case CallKind::RequestFree:
    return waitFor(R, S, O);
  case CallKind::GroupBegin:
  case CallKind::GroupEnd:
    return group(R, S, O);
  case CallKind::Abort:
    Stopped = true;
    return;
  default:
    return collective(R, S, std::move(O));
  }
}

void Simulation::leaveTo(Rank &R, const Stmt &S, Operation *O) {
  if (O->Call->Form == CallForm::OnStream && R.GroupDepth)
    R.Grouped.push_back(O);
  else if (O->Call->Form == CallForm::Nonblocking)
    give(R, S, *O, CallRole::Request, addRequest(R, {{O}, std::nullopt}));
  else
    wait(R, {O});
}

} // namespace spmd::collectives
