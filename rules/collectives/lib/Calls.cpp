//===- Calls.cpp - What a rank's call begins ------------------------------===//

#include "Simulation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

//===--- Communicators ------------------------------------------------------//

unsigned Simulation::foreign(std::string Key) {
  const auto [At, New] = ForeignComms.try_emplace(Key, Groups.size());
  if (New) {
    Groups.emplace_back();
    Groups.back().IsForeign = true;
    Groups.back().Key = std::move(Key);
  }
  return At->second;
}

unsigned Simulation::commOf(const Value &V) {
  if (V.isInteger() && V.Integer == 0)
    return NullComm;
  const auto Found = W.AxesOf.find({V.Kind, V.Id});
  const DeclaredAxes Axes =
      Found == W.AxesOf.end() ? DeclaredAxes() : Found->second;
  // Of one axis, all that come from elsewhere are one.
  const unsigned Out = V.Kind == ValueKind::Comm ? V.Id
                       : Axes.IsAxis             ? foreign("axis " + Axes.Names)
                       : V.isSymbol()            ? foreign(W.Known[V.Id].Key)
                                                 : foreign(W.Known.textOf(V));
  Group &Of = Groups[Out];
  Of.Axes = Axes.Names;
  const llvm::StringRef Key =
      V.isSymbol() ? llvm::StringRef(W.Known[V.Id].Key) : Of.Key;
  if (Key.starts_with(MadeHereKey) && (!Of.Made || *Of.Made == V))
    Of.Made = V;
  else
    Of.ComesFromElsewhere = true;
  return Out;
}

unsigned Simulation::commOf(const Operation &O) {
  if (const Value *V = O.argument(CallRole::Comm))
    return commOf(*V);
  Value Held;
  if (const Value *V = windowOf(O, Held))
    return W.Known.means(*V, CallConstant::NullWindow) ? NullComm : commOf(*V);
  if (!O.Call->Axes.empty())
    return foreign(llvm::join(O.Call->Axes, ","));
  return WorldComm;
}

/// Writes what the call gives in \p Role: through a pointer, or as its result.
void Simulation::give(Rank &R, const Stmt &S, const Operation &O, CallRole Role,
                      Value V) {
  if (const Value *To = O.argument(Role))
    if (const std::optional<Location> At = R.Run.target(*To))
      R.Run.Data.write(*At, V);
  if (O.Call->Returns == Role && S.Target)
    R.Run.assign(S.Target, V);
}

void Simulation::ask(Rank &R, const Stmt &S, const Operation &O) {
  const bool IsRank = O.Call->Kind == CallKind::Rank;
  if (O.argument(CallRole::Group))
    return give(R, S, O, IsRank ? CallRole::Rank : CallRole::Size,
                askGroup(R, S, O));
  const unsigned Comm = commOf(O);
  Value Out;
  if (Comm == SelfComm) {
    Out = Value::integer(IsRank ? 0 : 1);
  } else if (Comm == NullComm) {
    Out = W.Known.get(R.Run.keyOf(S, "null"), Trust::Unknown);
  } else if (Groups[Comm].IsForeign) {
    if (Comm != WorldComm)
      Others.insert({Groups[Comm].Key, "", ""});
    else
      Others.insert(Base());
    std::string Key = (IsRank ? "rank " : "size ") + Groups[Comm].Key;
    if (IsRank)
      Key += "@" + std::to_string(R.Run.Number);
    Out = W.Known.get(Key, Trust::Unknown);
  } else {
    const std::vector<unsigned> &In = Groups[Comm].Lanes;
    Out = Value::integer(IsRank ? llvm::find(In, R.Run.Number) - In.begin()
                                : static_cast<std::int64_t>(In.size()),
                         true);
    Out.OfRank = IsRank;
  }
  give(R, S, O, IsRank ? CallRole::Rank : CallRole::Size, Out);
}

void Simulation::init(Rank &R, const Stmt &S, const Operation &O) {
  const Value *Rank = O.argument(CallRole::Rank);
  const Value *Size = O.argument(CallRole::Size);
  if (On.Key.empty() && Rank && Size && Rank->isInteger() &&
      Rank->Integer == R.Run.Number && Size->isInteger() &&
      Size->Integer == W.NumLanes)
    return collective(R, S, O);
  // Of all ranks, this one says by a constant that it is another.
  if (On.Key.empty() && Rank && Size && Rank->isInteger() && !Rank->OfRanks &&
      Size->isInteger() && Size->OfRanks && Size->Integer == W.NumLanes) {
    Finding F = wrong(BadArgument::Rank, O);
    F.Said = std::to_string(Rank->Integer);
    return fail(std::move(F));
  }
  Base New{R.Run.keyOf(S, MadeHereKey), "", ""};
  if (Rank && Rank->isSymbol())
    New.RankSymbol = W.Known[Rank->Id].Key;
  if (Size && Size->isSymbol())
    New.SizeSymbol = W.Known[Size->Id].Key;
  Others.insert(New);
  // Without ranks it may be nobody's.
  const Value Made = Rank || Size ? Value::of(ValueKind::Comm, foreign(New.Key))
                                  : W.Known.get(New.Key, Trust::Unknown);
  give(R, S, O, CallRole::NewComm, Made);
}

//===--- Collectives --------------------------------------------------------//

static bool makesCommOrWindow(CallKind K) {
  return K == CallKind::CommDup || K == CallKind::CommSplit ||
         K == CallKind::CommCreate || K == CallKind::WinCreate;
}

/// Of the ranks of a group alone, not of all on some communicator.
static bool isOfGroup(const Operation &O) {
  return O.Call->Kind == CallKind::CommCreate && O.argument(CallRole::Group) &&
         (O.argument(CallRole::Tag) || !O.argument(CallRole::Comm)) &&
         llvm::count_if(O.Arguments, [](const auto &A) {
           return A.first == CallRole::Group;
         }) == 1;
}

void Simulation::collective(Rank &R, const Stmt &S, Operation O) {
  if (isOfGroup(O))
    return createAmongMembers(R, S, std::move(O));
  O.Comm = commOf(O);
  if (O.Call->Kind == CallKind::WinCreate)
    lend(R, S, O);
  if (O.Call->Kind == CallKind::WinFence || O.Call->Kind == CallKind::WinFree)
    forgetLent(R, S);
  if (const Value *V = O.argument(CallRole::Window);
      V && O.Call->Kind == CallKind::WinFree && V->Kind == ValueKind::Pointer)
    R.Run.Data.write(V->To, Value::of(ValueKind::Comm, NullComm));
  if (O.Call->Kind == CallKind::CommInit)
    O.Comm = WorldComm;
  if (O.Call->Form == CallForm::Persistent) {
    Request Q;
    Q.Persistent = O;
    return give(R, S, O, CallRole::Request, addRequest(R, std::move(Q)));
  }
  if (O.Comm == NullComm)
    return O.Call->Kind == CallKind::CommCreate
               ? giveUp(GiveUpReason::Members, S)
           : O.argument(CallRole::Window)
               ? fail(wrong(BadArgument::NullWindow, O))
               : failOnNull(O);
  Operation *Posted = postCollective(R, std::move(O));
  // Its new communicator is there when it is done.
  if (Posted && !Posted->Done && makesCommOrWindow(Posted->Call->Kind) &&
      Posted->Call->Form != CallForm::Blocking)
    return wait(R, {Posted});
  if (Posted)
    leaveTo(R, S, Posted);
}

Operation *Simulation::postCollective(Rank &R, Operation Given) {
  Operations.push_back(std::move(Given));
  Operation &O = Operations.back();
  Group &In = Groups[O.Comm];
  if (In.IsForeign) {
    R.Unmatched.push_back({O.Call->Name + " " + In.Key, O.Comm});
    if (O.Comm != WorldComm)
      Others.insert({In.Key, "", ""});
    else if (O.Call->Kind != CallKind::Finalize)
      Others.insert(Base());
  }
  if (In.IsForeign || O.Comm == SelfComm) {
    O.Done = true;
    const std::string Key = R.Run.keyOf(*O.At, "made");
    if (makesCommOrWindow(O.Call->Kind))
      for (const CallRole New : {CallRole::NewComm, CallRole::NewWindow})
        give(R, *O.At, O, New, W.Known.get(In.Key + " " + Key, Trust::Unknown));
    forget(O, Key + "@" + std::to_string(O.Lane), Trust::Unknown);
    return &O;
  }
  if (W.Seen)
    W.Seen->Matched.insert(O.At);
  if (!checkRoot(O))
    return &O;
  O.Position = llvm::find(In.Lanes, O.Lane) - In.Lanes.begin();
  if (std::optional<Finding> F = checkArguments(O))
    fail(std::move(*F));
  Slot &Of = Slots[{O.Comm, R.Counts[O.Comm]++}];
  for (const Operation *Before : Of)
    if (std::optional<Finding> F = compareKinds(*Before, O)) {
      Of.push_back(&O);
      IsBroken = true;
      fail(std::move(*F));
      return &O;
    }
  Of.push_back(&O);
  if (Of.size() != In.Lanes.size())
    return &O;
  llvm::sort(Of, [](const Operation *A, const Operation *B) {
    return A->Position < B->Position;
  });
  if (std::optional<Finding> F = compareArguments(Of)) {
    fail(std::move(*F));
    // Ranks that are out of step stay so: what follows says nothing new.
    IsBroken = llvm::any_of(
        Of, [&](const Operation *Other) { return Other->At != O.At; });
    if (IsBroken)
      return &O;
    if (agreeOnUnmatched() && agreeOnLeftOut())
      Sure = {Failures.size(), W.Choose.made().size(),
              W.Matters | W.MattersToUnseen};
  }
  noteOutOfStep(Of);
  complete(Of);
  return &O;
}

//===--- Requests -----------------------------------------------------------//

Value Simulation::addRequest(Rank &R, Request Q) {
  R.Requests.push_back(std::move(Q));
  return Value::of(ValueKind::Request, R.Requests.size() - 1);
}

/// Where the requests of a call are; none if that is not known.
std::vector<Location> Simulation::requestsOf(Rank &R, const Operation &O) {
  const Value *At = O.argument(CallRole::Request);
  const Value *Count = O.argument(CallRole::Count);
  const std::optional<Location> First = At ? R.Run.target(*At) : std::nullopt;
  if (!First)
    return {};
  if (Count && (!Count->isInteger() || Count->Integer > MaxRequests)) {
    giveUp(GiveUpReason::Requests, *O.At);
    return {};
  }
  std::vector<Location> Out;
  for (std::int64_t I = 0; I < (Count ? Count->Integer : 1); ++I)
    Out.push_back(R.Run.Data.advance(*First, I));
  return Out;
}

void Simulation::restart(Rank &R, llvm::ArrayRef<unsigned> Ids) {
  for (const unsigned Id : Ids) {
    if (!R.Requests[Id].Persistent)
      continue;
    Operation Again = *R.Requests[Id].Persistent;
    Operation *Posted =
        !Again.isMessage()
            ? postCollective(R, Again)
            : postMessage(Again, Again.Call->Kind == CallKind::Send);
    R.Requests[Id].Parts.clear();
    if (Posted)
      R.Requests[Id].Parts.push_back(Posted);
  }
}

/// Whether what is at \p At may have been begun by a caller.
bool Simulation::isOfCaller(const Rank &R, Location At) const {
  const auto Local = R.Run.Locals.find(At.Object);
  return !Root.IsMain &&
         (Local == R.Run.Locals.end() || W.P.Variables[Local->second].IsObject);
}

void Simulation::waitFor(Rank &R, const Stmt &S, const Operation &O) {
  const Value *Direct = O.argument(CallRole::Request);
  std::vector<unsigned> Ids;
  std::vector<Location> Places;
  bool IsOfCaller = false;
  if (Direct && Direct->Kind == ValueKind::Request)
    Ids.push_back(Direct->Id);
  else
    for (const Location At : requestsOf(R, O))
      if (const Value V = R.Run.Data.read(At); V.Kind == ValueKind::Request) {
        Ids.push_back(V.Id);
        Places.push_back(At);
      } else if (V.isSymbol() && isOfCaller(R, At)) {
        // Who is how far is not known.
        IsOfCaller = true;
      }
  const CallKind K = O.Call->Kind;
  if (IsOfCaller && (K == CallKind::Wait || K == CallKind::Test))
    R.Unmatched.push_back({O.Call->Name});
  const auto Release = [&] {
    for (unsigned I = 0; I != Places.size(); ++I)
      if (!R.Requests[Ids[I]].Persistent)
        R.Run.Data.write(Places[I],
                         Value::of(ValueKind::Name,
                                   W.Known.name("MPI_REQUEST_NULL",
                                                CallConstant::NullRequest)));
  };
  std::vector<Operation *> Parts;
  for (const unsigned Id : Ids)
    llvm::append_range(Parts, R.Requests[Id].Parts);
  const unsigned Outputs = llvm::count_if(
      O.Call->Arguments, [](CallRole A) { return A == CallRole::Output; });
  switch (K) {
  case CallKind::Start:
    return restart(R, Ids);
  case CallKind::RequestFree:
    return Release();
  case CallKind::Wait:
    // Any of several: whichever is first.
    if (Outputs > 1)
      return giveUp(GiveUpReason::AnyOf, S);
    Release();
    return wait(R, std::move(Parts));
  default:
    break;
  }
  const bool Done =
      llvm::all_of(Parts, [](const Operation *P) { return P->Done; });
  const auto Given = llvm::find_if(
      O.Arguments, [](const auto &A) { return A.first == CallRole::Output; });
  if (Outputs > 2)
    return giveUp(GiveUpReason::AnyOf, S);
  if (Done)
    Release();
  else
    R.Is = Status::Polling;
  if (Given != O.Arguments.end())
    if (const std::optional<Location> At = R.Run.target(Given->second))
      R.Run.Data.write(*At, Value::integer(Done));
  if (S.Target && O.Call->Returns == CallRole::Output)
    R.Run.assign(S.Target, Value::integer(Done));
}

//===--- The rest -----------------------------------------------------------//

void Simulation::group(Rank &R, const Stmt &S, const Operation &O) {
  if (O.Call->Kind == CallKind::GroupBegin) {
    ++R.GroupDepth;
    return;
  }
  if (R.GroupDepth && --R.GroupDepth == 0)
    wait(R, std::exchange(R.Grouped, {}));
  if (O.Call->Returns == CallRole::Request && S.Target)
    R.Run.assign(S.Target, addRequest(R, {}));
}

/// What the handle is that a call has freed.
Value Simulation::nullHandle(CallRole Role, const Operation &O) {
  const CallConstant Null = Role == CallRole::Op      ? CallConstant::NullOp
                            : Role == CallRole::Group ? CallConstant::NullGroup
                                                      : CallConstant::NullType;
  for (const auto &Constant : O.Call->Api->Constants)
    if (Constant.second == Null)
      return Value::of(ValueKind::Name, W.Known.name(Constant.first(), Null));
  return Value();
}

void Simulation::local(Rank &R, const Stmt &S, const Operation &O) {
  if (O.Call->has(CallRole::NewType))
    if (std::optional<Finding> F = checkOldType(O))
      fail(std::move(*F));
  unsigned I = 0;
  const std::string Key = R.Run.keyOf(S, "out");
  const std::string Own = Key + "@" + std::to_string(R.Run.Number);
  for (const auto &[Role, V] : O.Arguments) {
    ++I;
    if (Role == CallRole::Comm && O.Call->Kind == CallKind::CommFree) {
      if (V.Kind == ValueKind::Pointer)
        R.Run.Data.write(V.To, Value::of(ValueKind::Comm, NullComm));
      continue;
    }
    if (O.Call->Kind == CallKind::HandleFree) {
      if (V.Kind == ValueKind::Pointer)
        R.Run.Data.write(V.To, nullHandle(Role, O));
      continue;
    }
    if (Role == CallRole::NewType) {
      const Value New =
          W.Known.get(Own + "." + std::to_string(I), Trust::Unknown);
      const Value *Old = O.argument(CallRole::Type);
      const bool IsCopy = O.Call->Arguments.size() == 2; // committed as it is
      if (!IsCopy || (Old && Old->isSymbol() && Uncommitted.contains(Old->Id)))
        Uncommitted.insert(New.Id);
      noteDerived(O, New);
      if (const std::optional<Location> At = R.Run.target(V))
        R.Run.Data.write(*At, New);
      continue;
    }
    if (Role != CallRole::Output && Role != CallRole::Result &&
        Role != CallRole::NewOp && Role != CallRole::NewGroup &&
        Role != CallRole::NewId)
      continue;
    // A result is the same on all ranks, an output may be anything.
    const bool Same = Role == CallRole::Result;
    if (const std::optional<Location> At = R.Run.target(V)) {
      const Value Old = R.Run.Data.read(*At);
      R.Run.Data.forget(R.Run.Data.whole(*At),
                        {(Same                      ? Key
                          : Role == CallRole::NewId ? NewIdKey.str() + Own
                                                    : Own) +
                             "." + std::to_string(I),
                         Same ? Trust::Input : Trust::Unknown});
      // A datatype that is committed is of the same elements.
      const Value New = R.Run.Data.read(*At);
      if (const auto Is = Derived.find(Old.Id);
          Old.isSymbol() && New.isSymbol() && Is != Derived.end())
        Derived[New.Id] = Elements(Is->second);
    }
  }
  if (S.Target && O.Call->Returns == CallRole::Output)
    R.Run.assign(S.Target, W.Known.get(Own, Trust::Unknown));
  // Another handle of the same operation.
  if (const Value *Of = O.argument(CallRole::Request);
      Of && S.Target && O.Call->Returns == CallRole::Request)
    R.Run.assign(S.Target, *Of);
}

} // namespace spmd::collectives
