//===- AsynchronyWindows.cpp - What still runs: one-sided accesses --------===//
//
// An access is done when its epoch ends: with a fence, an unlock, a flush. One
// that is in no epoch is never done.
//
//===----------------------------------------------------------------------===//

#include "Asynchrony.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallKind;
using rules::CallRole;
using State = Running::State;

Asynchrony::Window *Asynchrony::windowOf(const Call &C) {
  const Value *V = C.find(CallRole::Window);
  if (!V)
    return nullptr;
  const Value Held = V->Kind == ValueKind::Pointer ? Run.Data.read(V->To) : *V;
  return Held.isSymbol() ? &Windows[W.Known.textOf(Held)] : nullptr;
}

void Asynchrony::openWindow(const Call &C, const Value &New) {
  Window &Of = Windows[W.Known.textOf(New)];
  Of = Window();
  Of.At = C.At;
  Of.IsKnown = true;
}

/// Of what was begun at \p R, and is wrong whatever else happens.
void Asynchrony::reportAt(const Stmt &Begun, const Stmt &At, HazardKind K,
                          std::string By) {
  Running R;
  R.At = &Begun;
  R.Name = Begun.What.Name;
  R.UnderChoice = !W.Choose.made().empty();
  Touch T;
  T.At = &At;
  T.Kind = K;
  T.Name = std::move(By);
  report(R, nullptr, T);
}

void Asynchrony::accessWindow(const Call &C) {
  Window *Of = windowOf(C);
  if (Of && Of->IsKnown && !Of->isOpen())
    return reportAt(*C.At, *C.At, HazardKind::NoEpoch, {});
  InTime.insert({C.At->At.Id, C.At->At.Id});
  if (C.api().Kind != CallKind::Accumulate)
    useBuffers(C, Host);
  Running New;
  New.At = C.At;
  New.Name = C.At->What.Name;
  New.IsCall = New.NeedsWait = true;
  // Programs reuse what they accumulate, and those who run them see no harm.
  if (C.api().Kind != CallKind::Accumulate)
    New.Uses = regionsOf(C);
  New.Until = "no fence, unlock or flush is between";
  const std::size_t I = post(std::move(New));
  const Value *Target = C.find(CallRole::Dest);
  if (Of)
    Of->Pending.emplace_back(I, Target ? *Target : Value());
  else
    Operations[I].Is = State::Unknown;
  if (C.find(CallRole::Request)) {
    Request Q;
    Q.Now = I;
    const auto Name = C.At->What.Spelled.find(CallRole::Request);
    keepRequest(C, std::move(Q),
                Name == C.At->What.Spelled.end() ? "" : Name->second);
  }
  forgetOutputs(C);
}

/// The accesses to \p Target; null: all.
void Asynchrony::endAccesses(Window &Of, const Value *Target) {
  llvm::erase_if(Of.Pending, [&](const auto &P) {
    if (Target && Target->isInteger() && P.second.isInteger() &&
        Target->Integer != P.second.Integer)
      return false;
    Operations[P.first].Is = State::Done;
    return true;
  });
}

void Asynchrony::synchronise(const Call &C) {
  Window *Of = windowOf(C);
  if (!Of)
    return;
  const Value *Target = C.find(CallRole::Dest);
  const std::string Rank = Target ? W.Known.textOf(*Target) : "";
  switch (C.api().Kind) {
  case CallKind::WinLock:
    Of->Locked[Rank] = C.At;
    return;
  case CallKind::WinStart:
    Of->IsStarted = true;
    return;
  case CallKind::WinFence:
    Of->IsFenced = true;
    return endAccesses(*Of, nullptr);
  case CallKind::WinComplete:
    Of->IsStarted = false;
    return endAccesses(*Of, nullptr);
  case CallKind::WinUnlock:
    if (Of->IsKnown && Of->Locked.empty())
      reportAt(*C.At, *C.At, HazardKind::NoEpoch, {});
    else
      InTime.insert({C.At->At.Id, C.At->At.Id});
    if (const auto At = Of->Locked.find(Rank); At != Of->Locked.end()) {
      InTime.insert({At->second->At.Id, At->second->At.Id});
      Of->Locked.erase(At);
    } else {
      Of->Locked.clear();
    }
    return endAccesses(*Of, Target);
  case CallKind::WinFlush:
    return endAccesses(*Of, Target);
  default:
    return closeWindow(*Of, C);
  }
}

void Asynchrony::closeWindow(Window &Of, const Call &C) {
  if (Of.IsKnown) {
    const std::string By = "'" + C.At->What.Name + "'";
    for (const auto &[I, Target] : Of.Pending)
      if (Operations[I].Is == State::Active)
        reportAt(*Operations[I].At, *Operations[I].At, HazardKind::Unended, By);
  }
  endAccesses(Of, nullptr);
  Of = Window();
}

//===--- What is never freed ------------------------------------------------//

/// The handles that a call makes, each a value of its own.
void Asynchrony::makeHandles(const Call &C) {
  const std::string Key = Run.keyOf(*C.At, "comm");
  for (const CallRole Role :
       {CallRole::NewComm, CallRole::NewType, CallRole::NewOp,
        CallRole::NewGroup, CallRole::NewWindow}) {
    if (!C.api().has(Role))
      continue;
    const Value *Colour = C.find(CallRole::Colour);
    if (Colour && W.Known.means(*Colour, rules::CallConstant::Undefined)) {
      give(C, Role, Value::of(ValueKind::Comm, NullComm));
      continue;
    }
    const Value New =
        W.Known.get(Key + rules::callRoleName(Role).str(), Trust::Unknown);
    if (makesCommOfAll(C))
      OfAll.insert(W.Known.textOf(New));
    give(C, Role, New);
    if (Role == CallRole::NewWindow)
      openWindow(C, New);
    if (C.api().Kind != CallKind::CommInit && C.find(Role))
      Handles[New.Id] = {C.At, Role};
  }
}

static CallRole roleOfNew(CallRole R) {
  switch (R) {
  case CallRole::Comm:
    return CallRole::NewComm;
  case CallRole::Type:
    return CallRole::NewType;
  case CallRole::Op:
    return CallRole::NewOp;
  case CallRole::Group:
    return CallRole::NewGroup;
  case CallRole::Window:
    return CallRole::NewWindow;
  default:
    return CallRole::None;
  }
}

/// Of a handle that is not known, it may be any of its kind.
void Asynchrony::freeHandles(const Call &C) {
  for (const Argument &A : C.Arguments) {
    const CallRole Role = roleOfNew(A.Role);
    if (Role == CallRole::None)
      continue;
    const std::optional<Location> At = Run.target(A.V);
    const Value Held = At ? Run.Data.read(*At) : Value();
    const bool IsKnown = Held.isSymbol() && Handles.count(Held.Id);
    for (auto It = Handles.begin(); It != Handles.end();) {
      const auto &[Id, H] = *It;
      if (IsKnown ? Id != Held.Id : H.Role != Role) {
        ++It;
        continue;
      }
      InTime.insert({H.At->At.Id, H.At->At.Id});
      It = Handles.erase(It);
    }
    if (At && A.Role == CallRole::Comm)
      Run.Data.write(*At, Value::of(ValueKind::Comm, NullComm));
  }
}

/// Where the program ends communication.
void Asynchrony::findLeaks(const Stmt &At) {
  if (!IsMain)
    return;
  const std::string By = "'" + At.What.Name + "'";
  for (const auto &[Id, H] : Handles)
    if (H.At->What.Call->Api == At.What.Call->Api)
      reportAt(*H.At, *H.At, HazardKind::Leaked, By);
  for (const Request &Q : AllRequests)
    if (Q.Again && !Q.Now && !Q.IsShared)
      reportAt(*Q.Again->At, *Q.Again->At, HazardKind::Leaked, By);
}

} // namespace spmd::collectives
