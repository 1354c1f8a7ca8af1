//===- AsynchronyCalls.cpp - What still runs: what calls begin ------------===//

#include "Asynchrony.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

const Value *Asynchrony::Call::find(CallRole R) const {
  for (const Argument &A : Arguments)
    if (A.Role == R)
      return &A.V;
  return nullptr;
}

Asynchrony::Call Asynchrony::evaluate(const Stmt &S) {
  Call C;
  C.At = &S;
  for (const auto &[Role, E] : S.What.Arguments)
    C.Arguments.push_back({Role, Run.eval(E)});
  return C;
}

void Asynchrony::give(const Call &C, CallRole Role, Value V) {
  if (const Value *To = C.find(Role))
    if (const std::optional<Location> At = Run.target(*To))
      Run.Data.write(*At, V);
  if (C.api().Returns == Role && C.At->Target)
    Run.assign(C.At->Target, V);
}

void Asynchrony::dispatch(const Stmt &S) {
  const Call C = evaluate(S);
  if (S.Target && C.api().Returns == CallRole::Status)
    Run.assign(S.Target, Value::integer(0));
  switch (C.api().Kind) {
  case CallKind::Rank:
  case CallKind::Size:
    return answer(C);
  case CallKind::Wait:
  case CallKind::Test:
  case CallKind::Start:
  case CallKind::RequestFree:
    return waitFor(C);
  case CallKind::GroupBegin:
  case CallKind::GroupEnd:
    return group(C);
  case CallKind::Finalize:
    findLost(&S, true);
    return findLeaks(S);
  case CallKind::Put:
  case CallKind::Get:
  case CallKind::Accumulate:
    return accessWindow(C);
  case CallKind::CommFree:
  case CallKind::HandleFree:
    return freeHandles(C);
  case CallKind::WinFence:
  case CallKind::WinLock:
  case CallKind::WinUnlock:
  case CallKind::WinFlush:
  case CallKind::WinStart:
  case CallKind::WinComplete:
    return synchronise(C);
  case CallKind::WinFree:
    synchronise(C);
    return freeHandles(C);
  case CallKind::Abort:
    Ended = true;
    return;
  default:
    break;
  }
  start(C);
  makeHandles(C);
  forgetOutputs(C);
}

/// Whether the communicator that it makes has the ranks of the world.
bool Asynchrony::makesCommOfAll(const Call &C) const {
  if (C.api().Kind == CallKind::CommDup) {
    const Value *Comm = C.find(CallRole::Comm);
    return Comm && isOfAll(*Comm);
  }
  const Value *Rank = C.find(CallRole::Rank), *Size = C.find(CallRole::Size);
  return C.api().Kind == CallKind::CommInit && Rank && Size &&
         Rank->isInteger() && Rank->Integer == Run.Number &&
         Size->isInteger() && Size->Integer == W.NumLanes;
}

/// The rank and the size of the world; those of others are unknown, but equal
/// whenever they are asked for.
void Asynchrony::answer(const Call &C) {
  const bool IsRank = C.api().Kind == CallKind::Rank;
  const Value *Comm = C.find(CallRole::Comm);
  Value Out;
  if (Comm && isOfAll(*Comm)) {
    AsksWorld = true;
    Out = Value::integer(IsRank ? Run.Number : W.NumLanes, true);
    Out.OfRank = IsRank;
  } else {
    Out = W.Known.get((IsRank ? "rank " : "size ") +
                          (Comm ? W.Known.textOf(*Comm) : ""),
                      Trust::Unknown);
  }
  give(C, IsRank ? CallRole::Rank : CallRole::Size, Out);
}

void Asynchrony::forgetOutputs(const Call &C) {
  unsigned I = 0;
  const std::string Key = Run.keyOf(*C.At, "out");
  for (const auto &[Role, V] : C.Arguments) {
    ++I;
    if (Role != CallRole::Output && Role != CallRole::Result &&
        Role != CallRole::Recv && Role != CallRole::Buffer &&
        Role != CallRole::NewId && Role != CallRole::Base)
      continue;
    if (W.Known.means(V, CallConstant::InPlace))
      continue;
    if (const std::optional<Location> At = Run.target(V))
      Run.Data.forget(Run.Data.whole(*At),
                      {Key + "." + std::to_string(I), Trust::Unknown});
  }
  if (C.At->Target && (C.api().Returns == CallRole::Output ||
                       C.api().Returns == CallRole::Recv))
    Run.assign(C.At->Target, W.Known.get(Key, Trust::Unknown));
}

//===--- Buffers ------------------------------------------------------------//

static std::string spelled(const Event &What, CallRole Role) {
  const auto At = What.Spelled.find(Role);
  return At == What.Spelled.end() ? std::string() : At->second;
}

bool Asynchrony::isOfAll(const Value &Comm) const {
  return Comm == Value::of(ValueKind::Comm, WorldComm) ||
         OfAll.count(W.Known.textOf(Comm));
}

/// None: not known.
std::optional<bool> Asynchrony::isRoot(const Call &C) {
  const Value *Root = C.find(CallRole::Root), *Comm = C.find(CallRole::Comm);
  if (!Root || !Root->isInteger() || !Comm || !isOfAll(*Comm))
    return std::nullopt;
  AsksWorld = true;
  return Root->Integer == static_cast<std::int64_t>(Run.Number);
}

/// Whether a tensor's gradient, as it was there already, has \p Storage.
bool Asynchrony::isGradient(const Value &Storage) const {
  if (!Storage.isSymbol())
    return false;
  const PathId In =
      W.Known.field(W.Known.field(WholeObject, GradientField), StorageField);
  return llvm::StringRef(W.Known[Storage.Id].Key)
      .ends_with(W.Known.pathText(In));
}

void Asynchrony::addRegion(const Call &C, CallRole Role, bool Writes,
                           std::vector<Region> &Out) {
  const Event &What = C.At->What;
  const Value *V = C.find(Role);
  if (!V || W.Known.means(*V, CallConstant::InPlace))
    return;
  if (const auto Parts = What.Parts.find(Role); Parts != What.Parts.end()) {
    // A container of them.
    if (const std::optional<Location> In = Run.place(Parts->second))
      for (const std::int64_t I : Run.Data.elementsOf(*In)) {
        const Location At{In->Object, W.Known.element(In->Path, I)};
        const Value Held =
            Run.Data.read({At.Object, W.Known.field(At.Path, StorageField)});
        if (const std::optional<Location> To = Run.target(Held))
          Out.push_back(
              {*To, Everything, Writes, spelled(What, Role), isGradient(Held)});
      }
    return;
  }
  const std::optional<Location> At = Run.target(*V);
  if (!At)
    return;
  Region New{*At, 1, Writes, spelled(What, Role), isGradient(*V)};
  const Value *Count = C.find(Role == CallRole::Send   ? CallRole::SendCount
                              : Role == CallRole::Recv ? CallRole::RecvCount
                                                       : CallRole::Count);
  // One count may be of both buffers.
  for (const CallRole R :
       {CallRole::Count, CallRole::SendCount, CallRole::RecvCount})
    if (!Count)
      Count = C.find(R);
  if (Count && Count->isInteger() && !What.HasCountLists) {
    if (Count->Integer == 0)
      return;
    New.Count = std::max<std::int64_t>(1, Count->Integer * What.PerCount);
  }
  for (const auto &[Of, Given] : What.Arguments)
    if (Of == Role && !Count && isStorage(Given))
      New.Count = Everything;
  Out.push_back(std::move(New));
}

/// What a call surely reads and writes on this rank.
std::vector<Region> Asynchrony::regionsOf(const Call &C) {
  std::vector<Region> Out;
  const CallKind K = C.api().Kind;
  for (const CallRole Peer : {CallRole::Dest, CallRole::Source})
    if (const Value *V = C.find(Peer);
        V && W.Known.means(*V, CallConstant::NullPeer) &&
        K != CallKind::SendRecv)
      return Out;
  const std::optional<bool> Root = isRoot(C);
  const bool ToRoot = K == CallKind::Reduce || K == CallKind::Gather;
  const bool FromRoot = K == CallKind::Scatter || K == CallKind::Broadcast;
  if (!FromRoot || Root.value_or(true))
    addRegion(C, CallRole::Send, false, Out);
  if (!ToRoot || Root.value_or(false))
    addRegion(C, CallRole::Recv, true, Out);
  const bool IsBroadcast = K == CallKind::Broadcast;
  addRegion(C, CallRole::Buffer, !IsBroadcast || !Root.value_or(true), Out);
  return Out;
}

/// The call itself is a touch of what runs already.
void Asynchrony::useBuffers(const Call &C, Actor By) {
  Touch T;
  T.By = By;
  T.At = C.At;
  T.Name = "'" + C.At->What.Name + "'";
  T.IsCall = true;
  for (const Region &R : regionsOf(C)) {
    T.What = R;
    T.Kind = R.Writes ? HazardKind::Written : HazardKind::Read;
    touch(T);
  }
}

void Asynchrony::start(const Call &C) {
  const CallForm Form = C.api().Form;
  if (C.api().Kind == CallKind::Local && Form == CallForm::Blocking) {
    // Another handle of the same operation.
    if (const Value *Of = C.find(CallRole::Request);
        Of && C.api().Returns == CallRole::Request && C.At->Target)
      Run.assign(C.At->Target, *Of);
    for (const auto &[Role, V] : C.Arguments)
      if (Role == CallRole::Output || Role == CallRole::Result ||
          Role == CallRole::NewType)
        if (const std::optional<Location> At = Run.target(V))
          writes(*At, C.At);
    return;
  }
  if (Form == CallForm::Blocking)
    return useBuffers(C, Host);
  if (Form == CallForm::OnStream) {
    const Value *On = C.find(CallRole::Stream);
    const Actor By =
        streamOf(On ? *On : Value(), spelled(C.At->What, CallRole::Stream));
    Running R;
    R.At = C.At;
    R.By = By;
    R.Name = C.At->What.Name;
    R.IsCall = true;
    R.Uses = regionsOf(C);
    Grouped.emplace_back(By, std::move(R));
    if (!GroupDepth)
      endGroup();
    return;
  }
  Request Q;
  Running New;
  New.At = C.At;
  New.Name = C.At->What.Name;
  New.IsCall = New.NeedsWait = true;
  New.Uses = regionsOf(C);
  New.Request = spelled(C.At->What, CallRole::Request);
  const std::string Name = New.Request;
  if (Form == CallForm::Persistent) {
    Q.Again = std::move(New);
    return keepRequest(C, std::move(Q), Name);
  }
  useBuffers(C, Host);
  Q.Now = post(std::move(New));
  keepRequest(C, std::move(Q), Name);
}

/// An operation of its own, which ends when somebody waits for it.
std::size_t Asynchrony::post(Running New) {
  const Actor By = Streams.size();
  Streams.emplace_back();
  Running &R = begin(*New.At, By);
  New.By = R.By;
  New.Step = R.Step;
  New.UnderChoice |= R.UnderChoice;
  R = std::move(New);
  for (const Region &U : R.Uses)
    remember(U.At.Object);
  return Operations.size() - 1;
}

/// The last operation uses \p Object.
void Asynchrony::remember(unsigned Object) {
  std::vector<std::size_t> &On = ByObject[Object];
  if (!On.empty() && On.back() == Operations.size() - 1)
    return;
  if (On.size() >= MaxOnObject)
    On.erase(On.begin());
  On.push_back(Operations.size() - 1);
}

void Asynchrony::keepRequest(const Call &C, Request New,
                             const std::string &Spelled) {
  const Value *To = C.find(CallRole::Request);
  const std::optional<Location> At = To ? Run.target(*To) : std::nullopt;
  if (At) {
    const Value Old = Run.Data.read(*At);
    if (Old.Kind == ValueKind::Request) {
      const Request &Q = AllRequests[Old.Id];
      if (Q.Now && !Q.IsShared &&
          Operations[*Q.Now].Is == Running::State::Active &&
          Run.Data.holders(Old).size() == 1) {
        Touch T;
        T.At = C.At;
        T.Name = "'" + C.At->What.Name + "'";
        T.Kind = HazardKind::Overwritten;
        Operations[*Q.Now].Request = Spelled;
        report(Operations[*Q.Now], nullptr, T);
        Operations[*Q.Now].Is = Running::State::Done;
      }
    }
  }
  AllRequests.push_back(std::move(New));
  const Value Id = Value::of(ValueKind::Request, AllRequests.size() - 1);
  if (At)
    Run.Data.write(*At, Id);
  else if (C.api().Returns == CallRole::Request && C.At->Target)
    Run.assign(C.At->Target, Id);
  else
    hand(Id);
}

} // namespace spmd::collectives
