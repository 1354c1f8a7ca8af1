//===- Asynchrony.cpp - What still runs: who touches its storage ----------===//

#include "Asynchrony.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using State = Running::State;

//===--- Where two accesses meet --------------------------------------------//

/// The index that is the first step from \p Whole to \p P; none where that is
/// a member.
static std::optional<std::int64_t> firstIndex(const Symbols &Known, PathId P,
                                              PathId Whole, bool &IsUnknown) {
  const PathId Step = Known.stepTo(P, Whole);
  IsUnknown = Known.isSomeElement(Step);
  return Known.isElement(Step) ? std::optional(Known.indexOf(Step))
                               : std::nullopt;
}

/// \p B is part of what begins at \p A's place.
static bool reaches(const Symbols &Known, const Region &A, PathId B) {
  const PathId P = A.At.Path;
  if (P == B)
    return true;
  bool IsUnknown = false;
  if (Known.isWithin(B, P)) {
    const auto Index = firstIndex(Known, B, P, IsUnknown);
    return IsUnknown ? A.Count == Everything
                     : !Index || (*Index >= 0 && *Index < A.Count);
  }
  if (!Known.isElement(P) || !Known.isWithin(B, Known.parent(P)) ||
      B == Known.parent(P))
    return false;
  const auto Index = firstIndex(Known, B, Known.parent(P), IsUnknown);
  const std::int64_t First = Known.indexOf(P);
  return Index && *Index >= First && *Index < First + A.Count;
}

bool overlap(const Symbols &Known, const Region &A, const Region &B) {
  return A.At.Object == B.At.Object &&
         (reaches(Known, A, B.At.Path) || reaches(Known, B, A.At.Path));
}

void Clock::learn(Actor A, unsigned Step) {
  if (A >= Steps.size())
    Steps.resize(A + 1);
  Steps[A] = std::max(Steps[A], Step);
}

void Clock::learn(const Clock &From) {
  if (From.Steps.size() > Steps.size())
    Steps.resize(From.Steps.size());
  for (std::size_t A = 0; A != From.Steps.size(); ++A)
    Steps[A] = std::max(Steps[A], From.Steps[A]);
}

//===--- The run ------------------------------------------------------------//

Asynchrony::Asynchrony(World &W, unsigned Number, const Function &Root)
    : W(W), Run((W.Watch = this, W), Number, Root), IsMain(Root.IsMain) {}

void Asynchrony::run() {
  while (!Ended) {
    switch (Run.run()) {
    case Lane::State::AtCall:
      dispatch(Run.current());
      break;
    case Lane::State::AtOpaque:
      giveAway();
      break;
    case Lane::State::Ended: {
      const Stmt *Last = Run.Jumps.empty() ? nullptr : Run.Jumps.back().At;
      ends(Run.Locals, Last);
      findLost(Last, false);
      return;
    }
    case Lane::State::Exited:
      return;
    case Lane::State::GaveUp:
      GivenUp.push_back(Run.why());
      return;
    }
  }
}

/// That a loop has as many rounds is no guess: it has them for some input.
void Asynchrony::decides(const Stmt &S, unsigned Occurrence, bool IsChosen) {
  if (IsChosen && S.Kind != StmtKind::Loop)
    Chosen.insert({&S, Occurrence});
}

Running &Asynchrony::begin(const Stmt &S, Actor By) {
  Operations.emplace_back();
  Running &R = Operations.back();
  R.At = &S;
  R.By = By;
  R.Step = Steps[By] + 1;
  Steps.learn(By, R.Step);
  for (const Decision &D : Run.context())
    R.UnderChoice |= Chosen.count({D.At, D.Occurrence}) != 0;
  return R;
}

//===--- Accesses -----------------------------------------------------------//

bool Asynchrony::isPast(const Running &R, Actor For) const {
  if (R.Is != State::Active || R.By == For)
    return true;
  const auto Of = Knows.find(For);
  return Of != Knows.end() && Of->second[R.By] >= R.Step;
}

/// Streams of which it is not known that they are two.
bool Asynchrony::mayBeOrdered(Actor A, Actor B) const {
  const auto IsUnknown = [&](Actor X) {
    return X < Streams.size() && X != Host && !Streams[X].IsKnown;
  };
  // Of two parameters, one of which events order, the other is another stream:
  // on one stream there would be nothing to order.
  const auto IsGiven = [&](Actor X) {
    return X < Streams.size() && Streams[X].IsGiven;
  };
  if (A != B && IsGiven(A) && IsGiven(B) &&
      (Streams[A].IsOrdered || Streams[B].IsOrdered))
    return false;
  // What is given was made before: one that is made here is another.
  const auto IsMade = [&](Actor X) {
    return X < Streams.size() && Streams[X].IsKnown && Streams[X].IsApart;
  };
  if ((IsGiven(A) && IsMade(B)) || (IsMade(A) && IsGiven(B)))
    return false;
  return A != Host && B != Host && (IsUnknown(A) || IsUnknown(B));
}

/// Who touches may be behind it in its stream.
bool Asynchrony::mayBeOrdered(const Running &R, const Touch &T) const {
  if (T.By == Host && T.At->What.Call && T.At->What.Call->HasStreamOfAxis)
    return R.By != Host && R.By < Streams.size() && !R.NeedsWait;
  return mayBeOrdered(R.By, T.By);
}

bool isReceive(const Stmt &S) {
  return S.What.Call && (S.What.Call->Kind == rules::CallKind::Recv ||
                         S.What.Call->Kind == rules::CallKind::Start);
}

/// Whether its statement began none after \p I.
bool Asynchrony::isLast(llvm::ArrayRef<std::size_t> Of, std::size_t I) const {
  return llvm::none_of(Of, [&](std::size_t J) {
    return J > I && Operations[J].At == Operations[I].At;
  });
}

/// The host reads what a kernel or a copy writes to memory that both reach.
bool Asynchrony::readsResult(const Running &R, const Touch &T) const {
  return T.By == Host && T.Kind == HazardKind::Read && !T.What.Writes &&
         !R.IsCall && !R.MayBeDone && Run.Data.isShared(T.What.At.Object);
}

void Asynchrony::touch(const Touch &T) {
  const auto On = ByObject.find(T.What.At.Object);
  if (On == ByObject.end() || !T.At)
    return;
  for (const std::size_t I : On->second) {
    const Running &R = Operations[I];
    if (!R.IsCall && !T.IsCall && !readsResult(R, T))
      continue;
    for (const Region &U : R.Uses) {
      if ((!U.Writes && !T.What.Writes) || !overlap(W.Known, U, T.What))
        continue;
      // Nothing else that is on a stream is in the host's reach: it stands for
      // a kernel there.
      if (T.By == Host && !T.IsCall && T.At->Kind != StmtKind::End &&
          !R.NeedsWait && !Run.Data.isShared(T.What.At.Object))
        continue;
      // Messages that nobody reads are received in one place.
      if (isReceive(*R.At) && isReceive(*T.At) && U.At == T.What.At)
        continue;
      if (R.At == T.At && T.At->What.Call &&
          T.At->What.Call->Kind == rules::CallKind::Get && U.At == T.What.At)
        continue; // the same one again, in a loop
      const bool Past = isPast(R, T.By), MayBe = mayBeOrdered(R, T);
      if (!Past && !MayBe)
        report(R, &U, T);
      else if (isLast(On->second, I)) // not of an earlier round
        InTime.insert({R.At->At.Id, T.At->At.Id});
      if (!Past && MayBe)
        doubt(R, GiveUpReason::Stream);
      if (R.Is == State::Unknown)
        doubt(R, GiveUpReason::Handed);
      break;
    }
  }
}

/// Nothing is said of what may be in time.
void Asynchrony::doubt(const Running &R, GiveUpReason Why) {
  const GiveUp G{Why, R.At->At, R.Name};
  if (R.IsCall && !llvm::is_contained(GivenUp, G))
    GivenUp.push_back(G);
}

void Asynchrony::report(const Running &R, const Region *Of, const Touch &T) {
  Finding F;
  F.Kind = FindingKind::Hazard;
  F.Hazard = T.Kind;
  F.At = T.At ? T.At->At : R.At->At;
  F.Call = T.Name;
  F.By = T.Name;
  F.Other = R.Name;
  F.OtherAt = R.At->At;
  F.Storage = Of ? Of->Spelled : R.Request;
  if (F.Storage.empty())
    F.Storage = T.What.Spelled;
  F.Missing = T.Because.empty() ? missing(R, T.By) : T.Because;
  // The last way that an unknown chose.
  const bool AtEnd = T.Kind == HazardKind::Lost && T.Name.empty();
  const Context Ways =
      AtEnd && !Run.Jumps.empty() ? Run.Jumps.back().Inside : Run.context();
  for (const Decision &D : Ways)
    if (Chosen.count({D.At, D.Occurrence}))
      F.Branch = D.At->At;
  const Pair Key(R.At->At.Id, F.At.Id);
  Found.try_emplace(Key, Hazard{std::move(F), R.UnderChoice});
}

std::string Asynchrony::missing(const Running &R, Actor For) const {
  if (!R.Until.empty())
    return R.Until;
  if (R.NeedsWait)
    return R.Request.empty() ? "no wait for its handle"
                             : "no wait for '" + R.Request + "'";
  const std::string On = R.By < Streams.size() ? Streams[R.By].Name : "";
  const std::string Stream = On.empty() ? "its stream" : "'" + On + "'";
  return For == Host ? "the host does not wait for " + Stream
                     : "no event orders it behind " + Stream;
}

void Asynchrony::reads(Location At, const Stmt *By) {
  if (ByObject.count(At.Object))
    touch({{At, 1, false, {}}, Host, By, "the host", false, HazardKind::Read});
}

void Asynchrony::writes(Location At, const Stmt *By) {
  if (ByObject.count(At.Object))
    touch(
        {{At, 1, true, {}}, Host, By, "the host", false, HazardKind::Written});
}

void Asynchrony::complete(Running &R) {
  R.Is = State::Done;
  InTime.insert({R.At->At.Id, R.At->At.Id});
}

/// What steps an optimizer touches the gradients that are on their way.
void Asynchrony::accessGradients(const Stmt &S) {
  std::vector<Region> OnTheirWay;
  for (const Running &R : Operations)
    if (R.Is == State::Active && R.IsCall)
      for (const Region &U : R.Uses)
        if (U.IsGradient)
          OnTheirWay.push_back(U);
  for (const Region &U : OnTheirWay) {
    Touch T;
    T.What = U;
    T.What.Writes = S.Writes;
    T.At = &S;
    T.Name = "'" + S.Name + "'";
    T.Kind = S.Writes ? HazardKind::Written : HazardKind::Read;
    touch(T);
  }
}

void Asynchrony::access(const Stmt &S) {
  if (!S.Value)
    return accessGradients(S);
  const std::optional<Location> At = Run.target(Run.eval(S.Value));
  if (!At)
    return;
  Touch T;
  if (S.MayBeOnDevice && !Run.Data.isPinned(At->Object))
    return;
  T.What = {*At, isStorage(S.Value) ? Everything : 1, S.Writes, {}};
  if (const auto Name = S.What.Spelled.find(rules::CallRole::Buffer);
      Name != S.What.Spelled.end())
    T.What.Spelled = Name->second;
  T.At = &S;
  T.Kind = S.Writes ? HazardKind::Written : HazardKind::Read;
  if (!S.On) {
    T.Name = S.Name.empty() ? "the host" : "'" + S.Name + "'";
    return touch(T);
  }
  T.By = streamOf(S);
  enqueue(T.By);
  const std::string &On = Streams[T.By].Name;
  T.Name = "'" + S.Name + "'" + (On.empty() ? "" : " on '" + On + "'");
  touch(T);
  Running &R = begin(S, T.By);
  R.Name = S.Name;
  R.Uses.push_back(T.What);
  R.MayBeDone = S.MayOnlyRead;
  remember(At->Object);
  if (S.Blocks)
    sync(T.By);
}

void Asynchrony::meets(const Stmt &S) {
  switch (S.Kind) {
  case StmtKind::Access:
    return access(S);
  case StmtKind::End: {
    const std::optional<Location> At = Run.target(Run.eval(S.Value));
    if (!At)
      return;
    Touch T;
    T.What = {Run.Data.whole(*At), 1, true, {}};
    T.What.Count = Everything;
    T.At = &S;
    T.Name = S.Name;
    T.Kind = S.Name.empty() ? HazardKind::Gone : HazardKind::Freed;
    if (S.On) {
      T.By = streamOf(S);
      enqueue(T.By);
    }
    touch(T);
    return loseRequests(T.What.At, S);
  }
  case StmtKind::Hand:
    for (const Expr *E : S.Arguments)
      hand(Run.eval(E));
    return;
  default:
    return stream(S);
  }
}

void Asynchrony::ends(const NumberMap &Objects, const Stmt *By) {
  const auto End = [&](unsigned Object, unsigned Variable) {
    if (!ByObject.count(Object) || W.P.Variables[Variable].IsObject)
      return;
    Touch T;
    T.What = {{Object, WholeObject}, 1, true, {}};
    T.What.Count = Everything;
    T.At = By;
    T.Kind = HazardKind::Gone;
    touch(T);
  };
  // The run's own: by object.
  if (&Objects == &Run.Locals) {
    for (const auto &[Object, Variable] : Objects)
      End(Object, Variable);
    return;
  }
  for (const auto &[Variable, Object] : Objects)
    End(Object, Variable);
}

//===--- What others may do -------------------------------------------------//

void Asynchrony::hand(const Value &V) {
  if (V.Kind == ValueKind::Request) {
    AllRequests[V.Id].IsShared = true;
    if (AllRequests[V.Id].Now)
      Operations[*AllRequests[V.Id].Now].Is = State::Unknown;
    return;
  }
  if (V.isSymbol()) {
    Handles.erase(V.Id);
    if (const auto Of = Windows.find(W.Known.textOf(V)); Of != Windows.end())
      Of->second.IsKnown = false;
    return;
  }
  if (V.Kind == ValueKind::Pointer)
    forgets(Run.Data.whole(V.To));
}

/// Requests in \p At may be completed by whoever gets it.
void Asynchrony::forgets(Location At) {
  for (const Value &V : Run.Data.valuesIn(At))
    if (V.Kind == ValueKind::Request || V.isSymbol())
      hand(V);
}

/// Code that is not seen may wait for all that it can get at.
void Asynchrony::giveAway() {
  for (Running &R : Operations)
    if (!R.NeedsWait && R.Is == State::Active)
      R.Is = State::Unknown;
  for (unsigned I = 0; I != AllRequests.size(); ++I) {
    Request &Q = AllRequests[I];
    if (!Q.Now || Operations[*Q.Now].Is != State::Active)
      continue;
    for (const Location At : Run.Data.holders(Value::of(ValueKind::Request, I)))
      Q.IsShared |= !Run.Locals.count(At.Object);
    if (Q.IsShared)
      Operations[*Q.Now].Is = State::Unknown;
  }
  std::vector<Value> Shared;
  for (const auto &[Id, H] : Handles) {
    Value V = Value::of(ValueKind::Symbol, Id);
    for (const Location At : Run.Data.holders(V))
      if (!Run.Locals.count(At.Object))
        Shared.push_back(V);
  }
  for (const Value &V : Shared)
    hand(V);
}

void Asynchrony::skips(const Stmt &S) {
  if (S.Kind == StmtKind::Stream)
    return giveAway();
  if (S.Kind == StmtKind::Hand)
    return meets(S);
  for (const Stmt *B : S.Body)
    if (B)
      skips(*B);
}

} // namespace spmd::collectives
