//===- Arguments.cpp - What no call may be given --------------------------===//

#include "Simulation.h"

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallKind;
using rules::CallRole;

llvm::StringRef typeOf(const Operation &O, CallRole Role,
                       const Symbols &Known) {
  const Value *V = O.argument(Role);
  if (!V || V->Kind != ValueKind::Name)
    return {};
  const auto It = O.Call->Api->Datatypes.find(Known.nameOf(V->Id));
  return It == O.Call->Api->Datatypes.end() ? llvm::StringRef()
                                            : llvm::StringRef(It->second);
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

/// The same of a message. Only a rank that is computed from others is a number
/// and no constant's value.
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
    else if (Negative && V.OfRanks &&
             (Role == CallRole::Dest || Role == CallRole::Source))
      Is = BadArgument::Rank;
  }
  return Is ? std::optional(wrong(*Is, O)) : checkBuffers(O);
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
  const Value &N = *O.argument(*Count);
  const std::int64_t Each = bytesOf(typeOf(O, *Type, W.Known));
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

} // namespace spmd::collectives
