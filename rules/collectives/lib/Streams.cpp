//===- Streams.cpp - What still runs: streams, events and groups ----------===//

#include "Asynchrony.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::collectives {

/// The streams that every program has: those of `cudaStreamLegacy` and
/// `cudaStreamPerThread`.
static constexpr std::int64_t Legacy = 1, PerThread = 2;
static constexpr const char *LegacyKey = "legacy";

/// Whether \p V is what a variable of the root holds that nobody has written.
static bool isParameter(const Symbols &Known, const Value &V) {
  if (!V.isSymbol() || V.Scale != 1 || V.Integer != 0)
    return false;
  llvm::StringRef Key = Known[V.Id].Key;
  return Key.consume_front("v") && !Key.empty() &&
         llvm::all_of(Key, [](char C) { return llvm::isDigit(C); });
}

Actor Asynchrony::streamOf(const Value &V, const std::string &Name) {
  std::string Key = W.Known.textOf(V);
  bool IsFixed = false;
  if (V.isInteger() && V.Integer <= Legacy) {
    Key = LegacyKey;
    IsFixed = true;
  } else if (V.isInteger() && V.Integer == PerThread) {
    IsFixed = true;
  }
  const auto [At, New] = StreamIds.try_emplace(Key, Streams.size());
  if (New) {
    Streams.push_back({IsFixed, false, Name});
    Streams.back().IsGiven = isParameter(W.Known, V);
    if (Key == LegacyKey)
      Streams.back().Name = "the default stream";
    AllStreams.push_back(At->second);
  }
  if (Streams[At->second].Name.empty())
    Streams[At->second].Name = Name;
  return At->second;
}

/// The stream of an access: its own, or its library handle's.
Actor Asynchrony::streamOf(const Stmt &S) {
  const Value V = Run.eval(S.On);
  if (!S.OnHandle)
    return streamOf(V);
  const auto At = HandleStreams.find(W.Known.textOf(V));
  return At != HandleStreams.end()
             ? At->second
             : streamOf(W.Known.get("of " + W.Known.textOf(V), Trust::Unknown));
}

void Asynchrony::teach(Actor Who, const Clock &What) {
  Knows[Who].learn(What);
  if (Who != Host && !Streams[Who].IsKnown)
    OfUnknown.learn(What);
}

/// All that \p Of has begun is done for \p Who, and what it knows.
void Asynchrony::teach(Actor Who, Actor Of) {
  Clock Done = Knows[Of];
  Done.learn(Of, Steps[Of]);
  teach(Who, Done);
}

void Asynchrony::enqueue(Actor On) {
  teach(On, Knows[Host]);
  // The default stream waits for the others, and they for it.
  const auto Default = StreamIds.find(LegacyKey);
  if (Default == StreamIds.end() || Streams[On].IsApart)
    return;
  for (const Actor A : AllStreams) {
    if (A == On || Streams[A].IsApart ||
        (On != Default->second && A != Default->second))
      continue;
    teach(On, A);
  }
}

/// The host has waited for a stream: what is on one that is not known may have
/// been on it, and so may all if that one is not.
void Asynchrony::noteWait(bool IsForKnown) {
  for (std::size_t I = IsForKnown ? WaitedForUnknown : WaitedForAll;
       I != Operations.size(); ++I)
    Operations[I].MayBeDone |=
        !IsForKnown || !Streams[Operations[I].By].IsKnown;
  WaitedForUnknown = Operations.size();
  if (!IsForKnown)
    WaitedForAll = Operations.size();
}

/// The host waits for all that is on \p With.
void Asynchrony::sync(Actor With) {
  enqueue(With); // what the default stream waits for
  noteWait(Streams[With].IsKnown);
  teach(Host, With);
  if (Streams[With].IsKnown)
    return;
  // It may be any other that is not known.
  Clock &Of = Knows[Host];
  Of.learn(OfUnknown);
  for (const Actor A : AllStreams)
    if (!Streams[A].IsKnown)
      Of.learn(A, Steps[A]);
}

void Asynchrony::create(const Stmt &S, const Value &Where) {
  const std::optional<Location> At = Run.target(Where);
  if (!At)
    return;
  const Value New = W.Known.get(Run.keyOf(S, "stream"), Trust::Unknown);
  Run.Data.write(*At, New);
  if (S.Action == StreamAction::CreateEvent) {
    Events[W.Known.textOf(New)] = {};
    return;
  }
  const Actor A = streamOf(New, S.Name);
  Streams[A].IsKnown = true;
  Streams[A].IsApart = S.Action == StreamAction::CreateApart;
}

void Asynchrony::stream(const Stmt &S) {
  std::vector<Value> Of;
  for (const Expr *E : S.Arguments)
    Of.push_back(Run.eval(E));
  const auto Event = [&] { return Events.find(W.Known.textOf(Of[0])); };
  switch (S.Action) {
  case StreamAction::Create:
  case StreamAction::CreateApart:
  case StreamAction::CreateEvent:
    return create(S, Of[0]);
  case StreamAction::Record: {
    const Actor On = streamOf(Of[1]);
    enqueue(On);
    // Of two that callers give, it is another one than those that are to wait.
    Streams[On].IsKnown = Streams[On].IsOrdered = true;
    Clock At = Knows[On];
    At.learn(On, Steps[On]);
    Events[W.Known.textOf(Of[0])] = std::move(At);
    return;
  }
  case StreamAction::WaitEvent: {
    const Actor On = streamOf(Of[1]);
    enqueue(On);
    if (const auto At = Event(); At != Events.end())
      teach(On, At->second);
    else // recorded who knows where
      giveAway();
    return;
  }
  case StreamAction::SyncEvent:
    noteWait(/*IsForKnown=*/true);
    if (const auto At = Event(); At != Events.end())
      teach(Host, At->second);
    else
      giveAway();
    return;
  case StreamAction::SyncStream:
    return sync(streamOf(Of[0]));
  case StreamAction::SyncDevice:
    for (const Actor A : AllStreams)
      sync(A);
    return;
  case StreamAction::SetStream:
    HandleStreams[W.Known.textOf(Of[0])] = streamOf(Of[1]);
    return;
  }
}

//===--- Groups -------------------------------------------------------------//

void Asynchrony::group(const Call &C) {
  if (C.api().Kind == rules::CallKind::GroupBegin) {
    if (GroupDepth++ == 0)
      GroupAt = C.At;
    return;
  }
  if (GroupDepth && --GroupDepth == 0) {
    EndsGroup = true;
    InTime.insert({GroupAt->At.Id, GroupAt->At.Id});
    endGroup();
  }
  if (C.api().Returns == rules::CallRole::Request && C.At->Target)
    Run.assign(C.At->Target,
               W.Known.get(Run.keyOf(*C.At, "group"), Trust::Unknown));
}

/// The calls of a group run at once.
void Asynchrony::touchInGroup(const Running &A, const Running &B) {
  InOneGroup.insert({A.At->At.Id, B.At->At.Id});
  for (const Region &X : A.Uses)
    for (const Region &Y : B.Uses) {
      if ((!X.Writes && !Y.Writes) || !overlap(W.Known, X, Y) ||
          (isReceive(*A.At) && isReceive(*B.At)))
        continue;
      Touch T;
      T.What = Y;
      T.At = B.At;
      T.Name = "'" + B.Name + "'";
      T.Because = "the calls of a group run at once";
      T.IsCall = true;
      T.Kind = Y.Writes ? HazardKind::Written : HazardKind::Read;
      return report(A, &X, T);
    }
}

/// Puts what was called on its streams; each waits for all of them.
void Asynchrony::endGroup() {
  std::set<Actor> On;
  for (const auto &[By, R] : Grouped)
    On.insert(By);
  Clock All;
  for (const Actor A : On) {
    enqueue(A);
    All.learn(Knows[A]);
    All.learn(A, Steps[A]);
  }
  for (const Actor A : On)
    teach(A, All);
  const std::size_t First = Operations.size();
  for (auto &[By, New] : Grouped) {
    Touch T;
    T.By = By;
    T.At = New.At;
    T.Name = "'" + New.Name + "'";
    T.IsCall = true;
    for (const Region &U : New.Uses) {
      T.What = U;
      T.Kind = U.Writes ? HazardKind::Written : HazardKind::Read;
      touch(T);
    }
  }
  for (std::size_t I = 0; I != Grouped.size(); ++I)
    for (std::size_t J = I + 1; J != Grouped.size(); ++J)
      touchInGroup(Grouped[I].second, Grouped[J].second);
  for (auto &[By, New] : Grouped) {
    Running &R = begin(*New.At, By);
    New.Step = R.Step;
    New.UnderChoice = R.UnderChoice;
    R = std::move(New);
    for (const Region &U : R.Uses)
      remember(U.At.Object);
  }
  Clock Begun;
  for (std::size_t I = First; I != Operations.size(); ++I)
    Begun.learn(Operations[I].By, Operations[I].Step);
  for (const Actor A : On)
    teach(A, Begun);
  Grouped.clear();
}

} // namespace spmd::collectives
