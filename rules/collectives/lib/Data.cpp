//===- Data.cpp - What calls do to data -----------------------------------===//

#include "Simulation.h"

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallKind;
using rules::CallRole;

void Simulation::complete(Slot &Of) {
  for (Operation *O : Of)
    O->Done = true;
  switch (Of.front()->Call->Kind) {
  case CallKind::WinCreate:
    return giveWindows(Of);
  case CallKind::CommDup:
  case CallKind::CommSplit:
  case CallKind::CommCreate:
  case CallKind::CommInit:
    return split(Of);
  case CallKind::Broadcast:
    return broadcast(Of);
  case CallKind::AllReduce:
  case CallKind::Reduce:
  case CallKind::Scan:
  case CallKind::Exscan:
    return reduce(Of);
  case CallKind::AllGather:
  case CallKind::Gather:
  case CallKind::Scatter:
    return gather(Of);
  default:
    return share(Of);
  }
}

/// The storage that a call reads, or writes.
std::optional<Location> Simulation::buffer(const Operation &O, bool Out) {
  const Value *V = O.argument(Out ? CallRole::Recv : CallRole::Send);
  if (!V || W.Known.means(*V, CallConstant::InPlace))
    V = O.argument(CallRole::Buffer);
  if (!V)
    V = O.argument(CallRole::Recv);
  return V ? Ranks[O.Lane]->Run.target(*V) : std::nullopt;
}

void Simulation::forget(const Operation &O, llvm::StringRef Key, Trust T) {
  const Value *V = O.argument(CallRole::Recv);
  if (!V)
    V = O.argument(CallRole::Buffer);
  if (!V || O.Call->Kind == CallKind::Send)
    return;
  Memory &M = Ranks[O.Lane]->Run.Data;
  if (const std::optional<Location> At = Ranks[O.Lane]->Run.target(*V))
    M.forget(M.whole(*At), {Key.str(), T});
}

static std::string keyOf(const Operation &O, const char *What) {
  return What + std::to_string(O.At->Number) + "c" + std::to_string(O.Comm);
}

/// What is not looked into: the same on all ranks where the kind says so.
void Simulation::share(Slot &Of) {
  const Operation &First = *Of.front();
  const std::string Key =
      Ranks[First.Lane]->Run.keyOf(*First.At, keyOf(First, "got"));
  const CallKind K = First.Call->Kind;
  const bool Alike = K == CallKind::AllReduce || K == CallKind::AllGather ||
                     K == CallKind::Broadcast;
  const bool Differ = K == CallKind::Scan || K == CallKind::Exscan;
  for (const Operation *O : Of) {
    if ((K == CallKind::Reduce || K == CallKind::Gather) && !isRoot(*O))
      continue;
    forget(*O, Alike ? Key : Key + "@" + std::to_string(O->Lane),
           Differ ? Trust::Varying : Trust::Unknown);
  }
}

bool Simulation::isRoot(const Operation &O) {
  const Value *Root = O.argument(CallRole::Root);
  return Root && Root->isInteger() &&
         Root->Integer == static_cast<std::int64_t>(O.Position);
}

static bool isOne(const Operation &O, CallRole Role) {
  const Value *Count = O.argument(Role);
  return Count && Count->isInteger() && Count->Integer == 1;
}

void Simulation::broadcast(Slot &Of) {
  const auto Root =
      llvm::find_if(Of, [](const Operation *O) { return isRoot(*O); });
  if (Root == Of.end())
    return share(Of);
  const std::optional<Location> From = buffer(**Root, false);
  if (!From)
    return share(Of);
  Memory &Source = Ranks[(*Root)->Lane]->Run.Data;
  for (Operation *O : Of) {
    const std::optional<Location> To = buffer(*O, true);
    if (O == *Root || !To)
      continue;
    Memory &M = Ranks[O->Lane]->Run.Data;
    if (isOne(*O, CallRole::Count))
      M.copyFrom(Source, *From, *To);
    else
      M.copyFrom(Source, Source.whole(*From), M.whole(*To));
  }
}

static std::optional<std::int64_t> combined(CallConstant Op, std::int64_t A,
                                            std::int64_t B) {
  switch (Op) {
  case CallConstant::Sum:
    return A + B;
  case CallConstant::Product:
    return std::abs(A) < 1'000'000 && std::abs(B) < 1'000'000
               ? std::optional(A * B)
               : std::nullopt;
  case CallConstant::Min:
    return std::min(A, B);
  case CallConstant::Max:
    return std::max(A, B);
  case CallConstant::And:
    return A && B;
  case CallConstant::Or:
    return A || B;
  case CallConstant::BitAnd:
    return A & B;
  case CallConstant::BitOr:
    return A | B;
  default:
    return std::nullopt;
  }
}

/// Whether nothing else has the number that is in \p At, but what it was given
/// to a function as: then the number itself is what is summed, and no copy.
bool Simulation::isOnlyPlaceOf(const Lane &Of, Location At,
                               unsigned Symbol) const {
  if (Of.Data.isUnwritten(At))
    return true;
  const auto IsGiven = [&](Location P) {
    return P.Path == WholeObject && Of.isArgument(P.Object) &&
           !Of.Data.isUnwritten(P);
  };
  const std::vector<Location> Places = Of.Data.placesOf(Symbol);
  return Places.size() - llvm::count_if(Places, IsGiven) <= 1;
}

/// Who reduces a number expects another one on each rank: it, or the copy of it
/// that is summed. What it is a copy of may well be the same on all ranks, as
/// the size of a batch, of which the last one has less. That is about sizes:
/// real numbers are computed of data.
void Simulation::noteReduced(const Slot &Of) {
  // Whether all have the same is asked for by the least and the greatest.
  const Value *Op = Of.front()->argument(CallRole::Op);
  if (!Op || W.Known.means(*Op, CallConstant::Min) ||
      W.Known.means(*Op, CallConstant::Max))
    return;
  for (const Operation *O : Of) {
    const std::optional<Location> In = buffer(*O, false);
    const Lane &Run = Ranks[O->Lane]->Run;
    const Value V = In ? Ranks[O->Lane]->Run.Data.read(*In) : Value();
    if (!V.isSymbol() || W.Known[V.Id].Trust != Trust::Unknown)
      continue;
    const auto Type = rules::numberType(typeOf(*O, CallRole::Type));
    const bool Itself =
        (Type && Type->isReal()) || isOnlyPlaceOf(Run, *In, V.Id);
    W.NewlyReduced.insert(Itself ? W.Known[V.Id].Key
                                 : Run.Data.keyOf(*In, V.Id));
  }
}

void Simulation::reduce(Slot &Of) {
  noteReduced(Of);
  const Value *Op = Of.front()->argument(CallRole::Op);
  const std::optional<CallConstant> Meaning = Op && Op->Kind == ValueKind::Name
                                                  ? W.Known.meaningOf(Op->Id)
                                                  : std::nullopt;
  if (!Meaning || !isOne(*Of.front(), CallRole::Count))
    return share(Of);
  const CallKind K = Of.front()->Call->Kind;
  std::vector<std::int64_t> Before, After;
  std::optional<std::int64_t> Total;
  for (const Operation *O : Of) {
    const std::optional<Location> In = buffer(*O, false);
    const Value V = In ? Ranks[O->Lane]->Run.Data.read(*In) : Value();
    if (!V.isInteger())
      return share(Of);
    W.Matters |= Ranks[O->Lane]->Run.Data.Asked | Reasons::numberOfRanks();
    Before.push_back(Total.value_or(0));
    Total = Total ? combined(*Meaning, *Total, V.Integer)
                  : std::optional(V.Integer);
    if (!Total)
      return share(Of);
    After.push_back(*Total);
  }
  for (unsigned I = 0; I != Of.size(); ++I) {
    Operation &O = *Of[I];
    const std::optional<Location> Out = buffer(O, true);
    if (!Out || (K == CallKind::Reduce && !isRoot(O)))
      continue;
    const bool Prefix = K == CallKind::Scan || K == CallKind::Exscan;
    const std::int64_t Result = !Prefix               ? *Total
                                : K == CallKind::Scan ? After[I]
                                                      : Before[I];
    if (K == CallKind::Exscan && I == 0)
      continue; // not written on the first rank
    Ranks[O.Lane]->Run.Data.write(*Out, Value::integer(Result, Prefix));
  }
}

void Simulation::gather(Slot &Of) {
  const CallKind K = Of.front()->Call->Kind;
  const bool Scatters = K == CallKind::Scatter;
  if (!isOne(*Of.front(), CallRole::SendCount) ||
      !isOne(*Of.front(), CallRole::RecvCount))
    return share(Of);
  W.Matters |= Reasons::numberOfRanks();
  for (Operation *To : Of) {
    const std::optional<Location> Out = buffer(*To, true);
    if (!Out || (K == CallKind::Gather && !isRoot(*To)))
      continue;
    Memory &M = Ranks[To->Lane]->Run.Data;
    for (Operation *From : Of) {
      if (Scatters && !isRoot(*From))
        continue;
      std::optional<Location> In = buffer(*From, false);
      Memory &Source = Ranks[From->Lane]->Run.Data;
      if (!In || (From == To && In->Object == Out->Object))
        continue;
      if (Scatters)
        In = Source.advance(*In, To->Position);
      M.copyFrom(Source, *In,
                 Scatters ? *Out : M.advance(*Out, From->Position));
    }
  }
}

void Simulation::transfer(Operation &From, Operation &To) {
  const std::optional<Location> In = buffer(From, false),
                                Out = buffer(To, true);
  if (!Out)
    return;
  Memory &M = Ranks[To.Lane]->Run.Data;
  const bool One = isOne(To, CallRole::Count) || isOne(To, CallRole::RecvCount);
  // Of what was copied, the sender may have something else by now.
  if (In && One && !From.Call->IsBuffered)
    M.copyFrom(Ranks[From.Lane]->Run.Data, *In, *Out);
  else
    forget(To,
           Ranks[To.Lane]->Run.keyOf(*To.At, keyOf(To, "got")) + "@" +
               std::to_string(To.Lane),
           Trust::Unknown);
}

//===--- New communicators --------------------------------------------------//

void Simulation::split(Slot &Of) {
  Operation &First = *Of.front();
  const CallKind K = First.Call->Kind;
  if (K == CallKind::CommCreate && createOfGroups(Of))
    return;
  const auto Give = [&](Operation &O, Value V) {
    give(*Ranks[O.Lane], *O.At, O, CallRole::NewComm, V);
  };
  const std::string Key =
      Ranks[First.Lane]->Run.keyOf(*First.At, keyOf(First, "comm"));
  if (K == CallKind::CommDup || K == CallKind::CommInit) {
    Groups.push_back(Groups[First.Comm]);
    Groups.back().Key = Key;
    for (Operation *O : Of)
      Give(*O, Value::of(ValueKind::Comm, Groups.size() - 1));
    return;
  }
  // By colour, then by key.
  std::map<std::int64_t, std::multimap<std::int64_t, Operation *>> Members;
  bool IsKnown = K == CallKind::CommSplit;
  const Value *OfFirst = First.argument(CallRole::Colour);
  const bool IsOne = llvm::all_of(Of, [&](const Operation *O) {
    const Value *Colour = O->argument(CallRole::Colour);
    return OfFirst && OfFirst->isSymbol() && Colour &&
           W.Known.textOf(*Colour) == W.Known.textOf(*OfFirst);
  });
  for (Operation *O : Of) {
    const Value *Colour = O->argument(CallRole::Colour);
    const Value *By = O->argument(CallRole::Key);
    if (Colour && W.Known.means(*Colour, CallConstant::Undefined))
      continue;
    if (!Colour || !By || !By->isInteger() || !(IsOne || Colour->isInteger()))
      IsKnown = false;
    else
      Members[IsOne ? 0 : Colour->Integer].emplace(By->Integer, O);
  }
  for (Operation *O : Of)
    Give(*O, IsKnown ? Value::of(ValueKind::Comm, NullComm)
                     : W.Known.get(Key, Trust::Unknown));
  if (!IsKnown)
    return;
  for (auto &[Colour, In] : Members) {
    Group New;
    New.Key = Key + ":" + std::to_string(Colour);
    for (const auto &[By, O] : In)
      New.Lanes.push_back(O->Lane);
    Groups.push_back(std::move(New));
    for (const auto &[By, O] : In)
      Give(*O, Value::of(ValueKind::Comm, Groups.size() - 1));
  }
}

} // namespace spmd::collectives
