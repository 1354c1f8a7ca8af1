//===- AsynchronyRequests.cpp - What still runs: until it is waited for ---===//

#include "Asynchrony.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallKind;
using rules::CallRole;
using State = Running::State;

Asynchrony::Requests Asynchrony::requestsOf(const Call &C) {
  Requests Out;
  const Value *V = C.find(CallRole::Request);
  if (!V) {
    Out.IsKnown = false;
    return Out;
  }
  if (V->Kind == ValueKind::Request) {
    Out.Ids.push_back(V->Id);
    return Out;
  }
  const std::optional<Location> First = Run.target(*V);
  if (!First) {
    Out.IsKnown = false;
    return Out;
  }
  const auto Add = [&](Location At, const Value &Held) {
    Out.At.emplace_back(At, Held.Id);
    Out.Ids.push_back(Held.Id);
  };
  const Value *Count = C.find(CallRole::Count);
  const bool Counted =
      !Count || (Count->isInteger() && Count->Integer <= MaxRequests);
  for (std::int64_t I = 0; Counted && I < (Count ? Count->Integer : 1); ++I) {
    const Location At = Run.Data.advance(*First, I);
    const Value Held = Run.Data.read(At);
    if (Held.Kind == ValueKind::Request)
      Add(At, Held);
    else if (Held.isSymbol())
      Out.IsKnown = false;
  }
  if (Out.IsKnown && Counted)
    return Out;
  // Whatever is in the array.
  const Location All = Run.Data.whole(*First);
  for (unsigned I = 0; I != AllRequests.size(); ++I)
    if (AllRequests[I].Now && !llvm::is_contained(Out.Ids, I))
      for (const Location At :
           Run.Data.holders(Value::of(ValueKind::Request, I)))
        if (At.Object == All.Object && W.Known.isWithin(At.Path, All.Path)) {
          Out.At.emplace_back(At, I);
          Out.Ids.push_back(I);
          break;
        }
  Out.IsKnown = !Out.Ids.empty();
  return Out;
}

void Asynchrony::finish(Request &Q) {
  if (Q.Now)
    complete(Operations[*Q.Now]);
  Q.Now.reset();
}

/// Where they were is no request any more.
void Asynchrony::release(const Requests &Of) {
  for (const auto &[At, Id] : Of.At)
    if (!AllRequests[Id].Again)
      Run.Data.write(At, Value::of(ValueKind::Name,
                                   W.Known.name("MPI_REQUEST_NULL",
                                                CallConstant::NullRequest)));
}

void Asynchrony::startAgain(const Requests &Of, const Call &C) {
  for (const unsigned Id : Of.Ids) {
    Request &Q = AllRequests[Id];
    if (!Q.Again)
      continue;
    Running New = *Q.Again;
    Touch T;
    T.At = C.At;
    T.Name = "'" + C.At->What.Name + "'";
    T.IsCall = true;
    if (Q.Now && Operations[*Q.Now].Is == State::Active && !Q.IsShared) {
      T.Kind = HazardKind::Restarted;
      report(Operations[*Q.Now], nullptr, T);
      Operations[*Q.Now].Is = State::Done;
    }
    for (const Region &R : New.Uses) {
      T.What = R;
      T.Kind = R.Writes ? HazardKind::Written : HazardKind::Read;
      touch(T);
    }
    New.At = C.At;
    New.Name = C.At->What.Name;
    const std::size_t Now = post(std::move(New));
    AllRequests[Id].Now = Now;
    if (AllRequests[Id].IsShared)
      Operations[Now].Is = State::Unknown;
  }
}

void Asynchrony::test(const Call &C, Requests &Of) {
  const unsigned Outputs = llvm::count_if(
      C.api().Arguments, [](CallRole A) { return A == CallRole::Output; });
  forgetOutputs(C);
  bool Done = Of.IsKnown;
  if (Outputs > 2 || !Of.IsKnown) { // some of them
    for (const unsigned Id : Of.Ids)
      hand(Value::of(ValueKind::Request, Id));
    return;
  }
  for (const unsigned Id : Of.Ids)
    if (const auto Now = AllRequests[Id].Now)
      Done &= Operations[*Now].Tests++ > 0;
  const Value Flag = W.Known.get(Run.keyOf(*C.At, "flag"), Trust::Input);
  const bool IsActive = llvm::any_of(
      Of.Ids, [&](unsigned Id) { return AllRequests[Id].Now.has_value(); });
  // It may take one more test.
  if (IsActive && !Done)
    Done = W.Choose.answer({Flag.Id, Relation::Kind::Equal, 0, true},
                           Run.Number, true);
  if (!IsActive || Done) {
    for (const unsigned Id : Of.Ids)
      finish(AllRequests[Id]);
    release(Of);
    Done = true;
  }
  for (const Argument &A : C.Arguments)
    if (A.Role == CallRole::Output) {
      if (const std::optional<Location> At = Run.target(A.V))
        Run.Data.write(*At, Value::integer(Done));
      break;
    }
  if (C.At->Target && C.api().Returns == CallRole::Output)
    Run.assign(C.At->Target, Value::integer(Done));
}

/// It goes on, and nobody will know when it is done. That may do for messages
/// that nobody asks for; of collectives MPI forbids it.
void Asynchrony::freeRequests(const Requests &Of, const Call &C) {
  const bool Cancels = llvm::StringRef(C.At->What.Name).ends_with("Cancel");
  for (const unsigned Id : Of.Ids) {
    const auto Now = AllRequests[Id].Now;
    if (const auto &Again = AllRequests[Id].Again; Again && !Cancels)
      InTime.insert({Again->At->At.Id, Again->At->At.Id});
    if (Now && !Cancels && Operations[*Now].Is == State::Active &&
        !AllRequests[Id].Again &&
        !isMessage(Operations[*Now].At->What.Call->Kind)) {
      Touch T;
      T.At = C.At;
      T.Kind = HazardKind::Freed;
      T.Name = C.At->What.Name;
      report(Operations[*Now], nullptr, T);
    }
    hand(Value::of(ValueKind::Request, Id));
  }
  if (!Cancels)
    release(Of);
}

void Asynchrony::waitFor(const Call &C) {
  Requests Of = requestsOf(C);
  const CallKind K = C.api().Kind;
  if (!Of.IsKnown && K != CallKind::Start)
    for (unsigned I = 0; I != AllRequests.size(); ++I)
      if (!llvm::is_contained(Of.Ids, I))
        hand(Value::of(ValueKind::Request, I));
  const unsigned Outputs = llvm::count_if(
      C.api().Arguments, [](CallRole A) { return A == CallRole::Output; });
  switch (K) {
  case CallKind::Start:
    return startAgain(Of, C);
  case CallKind::RequestFree:
    return freeRequests(Of, C);
  case CallKind::Test:
    return test(C, Of);
  default:
    break;
  }
  forgetOutputs(C);
  if (Outputs > 1 && Of.Ids.size() != 1) { // any of several
    for (const unsigned Id : Of.Ids)
      hand(Value::of(ValueKind::Request, Id));
    return;
  }
  for (const unsigned Id : Of.Ids)
    finish(AllRequests[Id]);
  release(Of);
}

/// Requests in storage that ends, if they are nowhere else.
void Asynchrony::loseRequests(Location In, const Stmt &By) {
  for (const Value &V : Run.Data.valuesIn(In)) {
    if (V.Kind != ValueKind::Request)
      continue;
    const Request &Q = AllRequests[V.Id];
    if (!Q.Now || Q.IsShared || Operations[*Q.Now].Is != State::Active ||
        Run.Data.holders(V).size() != 1)
      continue;
    Running &R = Operations[*Q.Now];
    Touch T;
    T.At = R.At;
    T.Kind = HazardKind::Lost;
    T.Name = By.Name.empty() ? "the end of its scope" : "'" + By.Name + "'";
    report(R, nullptr, T);
    R.Is = State::Done;
  }
}

/// At its end, or where it ends communication: what nobody can wait for.
void Asynchrony::findLost(const Stmt *At, bool AtFinalize) {
  if (GroupDepth && !AtFinalize) {
    Running R;
    R.At = GroupAt;
    R.Name = GroupAt->What.Name;
    R.UnderChoice = !Grouped.empty(); // more than its beginning
    Touch T;
    T.At = GroupAt;
    T.Kind = HazardKind::OpenGroup;
    report(R, nullptr, T);
  }
  for (unsigned I = 0; I != AllRequests.size(); ++I) {
    const Request &Q = AllRequests[I];
    if (!Q.Now || Q.IsShared || Operations[*Q.Now].Is != State::Active ||
        Operations[*Q.Now].At->What.Call->Returns == CallRole::Request)
      continue;
    const auto Held = Run.Data.holders(Value::of(ValueKind::Request, I));
    if (!AtFinalize && llvm::any_of(Held, [&](Location L) {
          const auto Of = Run.Locals.find(L.Object);
          if (Of == Run.Locals.end())
            return true;
          const Variable &V = W.P.Variables[Of->second];
          return V.IsObject && !V.IsContainer;
        }))
      continue;
    Running &R = Operations[*Q.Now];
    Touch T;
    T.At = R.At;
    T.Kind = HazardKind::Lost;
    T.Name = AtFinalize ? "'" + At->What.Name + "'" : "";
    report(R, nullptr, T);
    R.Is = State::Done;
  }
}

} // namespace spmd::collectives
