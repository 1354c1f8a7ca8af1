//===- Arguments.cpp - What no call may be given --------------------------===//

#include "Simulation.h"

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallKind;
using rules::CallRole;

/// What a datatype is: one of the library's, or so many of one, end to end.
std::optional<Simulation::Elements>
Simulation::elementsOf(const Operation &O, CallRole Role) const {
  const Value *V = O.argument(Role);
  if (V && V->isSymbol() && V->Scale == 1 && V->Integer == 0)
    if (const auto At = Derived.find(V->Id); At != Derived.end())
      return At->second;
  if (!V || V->Kind != ValueKind::Name)
    return std::nullopt;
  const auto It = O.Call->Api->Datatypes.find(W.Known.nameOf(V->Id));
  return It == O.Call->Api->Datatypes.end()
             ? std::nullopt
             : std::optional(Elements{It->second, 1});
}

/// The type of the elements; empty: not known.
std::string Simulation::typeOf(const Operation &O, CallRole Role) const {
  const std::optional<Elements> Of = elementsOf(O, Role);
  return Of ? Of->Type : std::string();
}

/// How many elements there are; none: the call does not say.
std::optional<Value> Simulation::countOf(const Operation &O, CallRole Count,
                                         CallRole Type) const {
  const Value *V = O.argument(Count);
  if (!V)
    return std::nullopt;
  const std::optional<Elements> Of = elementsOf(O, Type);
  if (!Of || Of->Each == 1)
    return *V;
  Value Out = *V;
  Out.Integer *= Of->Each;
  if (!V->isInteger())
    Out = Value();
  return Out;
}

/// A datatype that is made of others of one kind, without regard to gaps.
void Simulation::noteDerived(const Operation &O, const Value &New) {
  const auto Is = [&](CallRole R) { return llvm::count(O.Call->Arguments, R); };
  const auto Counts = Is(CallRole::Count), Others = Is(CallRole::None);
  const std::optional<Elements> Of = elementsOf(O, CallRole::Type);
  // Lists of blocks, and parts of arrays, are more than a product.
  if (!Of || (Counts ? Others > 1 : Others > 2))
    return;
  Elements Made = *Of;
  for (const auto &[Role, V] : O.Arguments) {
    if (Role != CallRole::Count)
      continue;
    if (!V.isInteger() || V.Integer <= 0 || V.Integer > 1 << 20 ||
        Made.Each > 1 << 20)
      return;
    Made.Each *= V.Integer;
  }
  Derived[New.Id] = std::move(Made);
}

bool isInPlace(const Operation &O, const Symbols &Known) {
  return llvm::any_of(O.Arguments, [&](const auto &A) {
    return (A.first == CallRole::Send || A.first == CallRole::Recv) &&
           Known.means(A.second, CallConstant::InPlace);
  });
}

Finding Simulation::wrong(BadArgument Is, const Operation &O) {
  Finding F = finding(FindingKind::Argument, O, nullptr);
  F.Argument = Is;
  return F;
}

void Simulation::failOnNull(const Operation &O) {
  fail(wrong(BadArgument::NullComm, O));
}

/// The library's name for none, or a null pointer where it has such a name.
bool Simulation::isNullHandle(const Operation &O, const Value &V,
                              CallConstant Null) const {
  return W.Known.means(V, Null) ||
         (V.isInteger() && V.Integer == 0 &&
          llvm::any_of(O.Call->Api->Constants,
                       [&](const auto &C) { return C.second == Null; }));
}

static bool isType(CallRole R) {
  return R == CallRole::Type || R == CallRole::SendType ||
         R == CallRole::RecvType;
}

static bool isCount(CallRole R) {
  return R == CallRole::Count || R == CallRole::SendCount ||
         R == CallRole::RecvCount;
}

/// What a call makes needs a place.
bool Simulation::hasNullOutput(const Operation &O) {
  return llvm::any_of(O.Arguments, [&](const auto &A) {
    const auto &[Role, V] = A;
    if (!V.isInteger() || V.Integer != 0 || Role == O.Call->Receiver)
      return false;
    switch (Role) {
    case CallRole::NewComm:
    case CallRole::NewType:
    case CallRole::NewOp:
    case CallRole::NewGroup:
    case CallRole::NewWindow:
      return true;
    case CallRole::Request:
      return O.Call->Kind != CallKind::Wait && O.Call->Kind != CallKind::Test;
    case CallRole::Rank:
      return O.Call->Kind == CallKind::Rank;
    case CallRole::Size:
      return O.Call->Kind == CallKind::Size;
    default:
      return false;
    }
  });
}

/// What no rank may hand over, where the call looks at it.
std::optional<Finding> Simulation::checkArguments(const Operation &O) {
  const CallKind K = O.Call->Kind;
  const bool Root = isRoot(O), Place = isInPlace(O, W.Known);
  std::optional<BadArgument> Is;
  for (const auto &[Role, V] : O.Arguments) {
    const bool OfSend =
        Role == CallRole::SendType || Role == CallRole::SendCount;
    const bool OfRecv =
        Role == CallRole::RecvType || Role == CallRole::RecvCount;
    if ((OfSend && ((K == CallKind::Scatter && !Root) || Place)) ||
        (OfRecv && ((K == CallKind::Gather && !Root) || Place)))
      continue;
    const bool Negative = V.isInteger() && V.Integer < 0;
    if (isType(Role) && isNullHandle(O, V, CallConstant::NullType))
      Is = BadArgument::NullType;
    else if (isType(Role) && V.isSymbol() && Uncommitted.contains(V.Id))
      Is = BadArgument::UncommittedType;
    else if (Role == CallRole::Op && isNullHandle(O, V, CallConstant::NullOp))
      Is = BadArgument::NullOp;
    else if (Role == CallRole::Op && (W.Known.means(V, CallConstant::Replace) ||
                                      W.Known.means(V, CallConstant::NoOp)))
      Is = BadArgument::OneSidedOp;
    else if (isCount(Role) && Negative)
      Is = BadArgument::Count;
    else if (Role == CallRole::Colour && Negative)
      Is = BadArgument::Colour;
  }
  return Is ? std::optional(wrong(*Is, O)) : checkBuffers(O);
}

/// The same of a message.
std::optional<Finding> Simulation::checkMessage(const Operation &O) {
  std::optional<BadArgument> Is;
  for (const auto &[Role, V] : O.Arguments) {
    if (W.Known.means(V, CallConstant::NullPeer))
      return std::nullopt;
    const bool Negative = V.isInteger() && V.Integer < 0;
    if (isType(Role) && isNullHandle(O, V, CallConstant::NullType))
      Is = BadArgument::NullType;
    else if (isType(Role) && V.isSymbol() && Uncommitted.contains(V.Id))
      Is = BadArgument::UncommittedType;
    else if (isCount(Role) && Negative)
      Is = BadArgument::Count;
    else if (Negative && Role == CallRole::Tag &&
             (O.Call->Kind == CallKind::Send || V.Integer < -1))
      Is = BadArgument::Tag;
    else if (Negative && (Role == CallRole::Dest || Role == CallRole::Source))
      Is = BadArgument::Rank;
  }
  return Is ? std::optional(wrong(*Is, O)) : checkBuffers(O);
}

/// Of a datatype that is made of another.
std::optional<Finding> Simulation::checkOldType(const Operation &O) {
  for (const auto &[Role, V] : O.Arguments) {
    if (Role == CallRole::Type && isNullHandle(O, V, CallConstant::NullType))
      return wrong(BadArgument::NullType, O);
    if (isCount(Role) && V.isInteger() && V.Integer < 0)
      return wrong(BadArgument::Count, O);
  }
  return std::nullopt;
}

//===--- Buffers ------------------------------------------------------------//

/// Whether this rank's call looks at the buffer.
bool Simulation::isUsed(const Operation &O, CallRole Buffer) {
  switch (O.Call->Kind) {
  case CallKind::Reduce:
  case CallKind::Gather:
    return Buffer != CallRole::Recv || isRoot(O);
  case CallKind::Broadcast:
  case CallKind::Scatter:
    return Buffer != CallRole::Send || isRoot(O);
  case CallKind::AllReduce:
  case CallKind::AllGather:
  case CallKind::ReduceScatter:
  case CallKind::AllToAll:
  case CallKind::Scan:
  case CallKind::Exscan:
  case CallKind::Send:
  case CallKind::Recv:
  case CallKind::SendRecv:
  case CallKind::Put:
  case CallKind::Get:
  case CallKind::Accumulate:
    return true;
  default:
    return false;
  }
}

static std::int64_t bytesOf(llvm::StringRef Type) {
  if (const auto Number = rules::numberType(Type))
    return Number->Bits / 8;
  return llvm::StringSwitch<std::int64_t>(Type)
      .Cases({"char", "signed char", "unsigned char", "std::byte"}, 1)
      .Default(0);
}

/// There is a piece for each rank.
static bool hasPieces(CallKind K, CallRole Buffer) {
  if (K == CallKind::AllToAll)
    return true;
  return Buffer == CallRole::Send
             ? K == CallKind::Scatter || K == CallKind::ReduceScatter
             : K == CallKind::Gather || K == CallKind::AllGather;
}

/// The least that is read or written there: of pieces two, as there are ranks.
std::optional<std::int64_t> Simulation::bytesIn(const Operation &O,
                                                CallRole Buffer) const {
  const bool Sent = Buffer == CallRole::Send;
  const CallRole Counts[] = {Sent ? CallRole::SendCount : CallRole::RecvCount,
                             CallRole::Count,
                             Sent ? CallRole::RecvCount : CallRole::SendCount};
  const CallRole Types[] = {Sent ? CallRole::SendType : CallRole::RecvType,
                            CallRole::Type};
  const auto *Count =
      llvm::find_if(Counts, [&](CallRole R) { return O.argument(R); });
  const auto *Type =
      llvm::find_if(Types, [&](CallRole R) { return O.argument(R); });
  if (O.HasCountLists || Count == std::end(Counts) || Type == std::end(Types))
    return std::nullopt;
  const Value N = *countOf(O, *Count, *Type);
  const std::int64_t Each = bytesOf(typeOf(O, *Type));
  if (!N.isInteger() || N.Integer <= 0 || N.Integer >= 1 << 30 || !Each)
    return std::nullopt;
  const bool Several =
      hasPieces(O.Call->Kind, Buffer) && Groups[O.Comm].Lanes.size() > 1;
  return N.Integer * Each * (Several ? 2 : 1);
}

std::optional<Finding> Simulation::checkBuffers(const Operation &O) {
  for (const auto &[Role, V] : O.Arguments) {
    if ((Role != CallRole::Send && Role != CallRole::Recv &&
         Role != CallRole::Buffer) ||
        !isUsed(O, Role) || W.Known.means(V, CallConstant::InPlace))
      continue;
    const std::optional<std::int64_t> Bytes = bytesIn(O, Role);
    if (!Bytes)
      continue;
    if (V.isInteger() && V.Integer == 0)
      return wrong(BadArgument::NullBuffer, O);
    const auto Room = O.At->What.Room.find(Role);
    if (Room == O.At->What.Room.end() || Room->second >= *Bytes)
      continue;
    Finding F = wrong(BadArgument::Overrun, O);
    F.Held = std::to_string(Room->second);
    F.Said = std::to_string(*Bytes) + " bytes";
    if (hasPieces(O.Call->Kind, Role))
      F.Said += " (two ranks' pieces)";
    if (const auto Name = O.At->What.Spelled.find(Role);
        Name != O.At->What.Spelled.end())
      F.Storage = Name->second;
    return F;
  }
  return std::nullopt;
}

/// Its id is a variable of the function's own that nothing was put into.
bool Simulation::hasUnwrittenId(const Operation &O) const {
  const Value *V = O.argument(CallRole::Id);
  if (!V || !V->isSymbol())
    return false;
  const Lane &Of = Ranks[O.Lane]->Run;
  const auto IsParameter = [&](unsigned Variable) {
    return llvm::any_of(W.P.Functions, [&](const Function &F) {
      return llvm::is_contained(F.Parameters, Variable);
    });
  };
  bool Found = false;
  for (const auto &[Object, Variable] : Of.Locals) {
    if (W.Known[V->Id].Key != Of.Data.keyOf(Object))
      continue;
    if (IsParameter(Variable) || !Of.Data.isUnwritten(Object))
      return false;
    Found = true;
  }
  return Found;
}

} // namespace spmd::collectives
