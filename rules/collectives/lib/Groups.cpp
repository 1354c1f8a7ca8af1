//===- Groups.cpp - Groups of ranks, and their communicators --------------===//

#include "Simulation.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallKind;
using rules::CallRole;

/// More numbers in one list are not read.
static constexpr std::int64_t MaxNumbers = 64;

using Lanes = std::vector<unsigned>;

/// The ranks of the run in a group, in their order; none: not known.
std::optional<Lanes> Simulation::membersOf(const Value *G) const {
  if (G && G->Kind == ValueKind::Group)
    return RankGroups[G->Id];
  return G && W.Known.means(*G, CallConstant::EmptyGroup)
             ? std::optional(Lanes())
             : std::nullopt;
}

/// Equal groups are one value on all ranks.
Value Simulation::groupOf(Lanes In) {
  const auto At = llvm::find(RankGroups, In);
  const unsigned Number = At - RankGroups.begin();
  if (At == RankGroups.end())
    RankGroups.push_back(std::move(In));
  return Value::of(ValueKind::Group, Number);
}

/// Positions in a group, as a list of them or of triples says; none: not known.
std::optional<std::vector<std::int64_t>>
Simulation::positionsIn(Rank &R, const Operation &O) {
  const Value *Ranges = O.argument(CallRole::Ranges);
  const Value *List = Ranges ? Ranges : O.argument(CallRole::Members);
  const Value *Count = O.argument(CallRole::Count);
  if (!List || !Count || !Count->isInteger() || Count->Integer < 0 ||
      Count->Integer > MaxNumbers)
    return std::nullopt;
  std::vector<std::int64_t> Out;
  const std::optional<Location> First = R.Run.target(*List);
  for (std::int64_t I = 0; I != Count->Integer; ++I) {
    if (!First)
      return std::nullopt;
    const Location At = R.Run.Data.advance(*First, I);
    std::int64_t Triple[3] = {0, 0, 1};
    for (int J = 0; J != (Ranges ? 3 : 1); ++J) {
      const Value V = R.Run.Data.read(
          Ranges ? Location{At.Object, W.Known.element(At.Path, J)} : At);
      if (!V.isInteger())
        return std::nullopt;
      Triple[J] = V.Integer;
    }
    if (!Ranges)
      Triple[1] = Triple[0];
    const auto [From, To, Step] = Triple;
    if (Step == 0 || std::abs((To - From) / Step) > MaxNumbers)
      return std::nullopt;
    for (std::int64_t N = From; Step > 0 ? N <= To : N >= To; N += Step)
      Out.push_back(N);
  }
  return Out;
}

/// What a call makes of the groups that it is given.
std::optional<Lanes> Simulation::madeGroup(Rank &R, const Operation &O) {
  if (O.Call->Kind == CallKind::GroupOf) {
    const Group &Of = Groups[commOf(O)];
    return Of.IsForeign || Of.Lanes.empty() ? std::nullopt
                                            : std::optional(Of.Lanes);
  }
  std::vector<Lanes> Given;
  for (const auto &[Role, V] : O.Arguments)
    if (Role == CallRole::Group) {
      std::optional<Lanes> In = membersOf(&V);
      if (!In)
        return std::nullopt;
      Given.push_back(std::move(*In));
    }
  if (Given.empty())
    return std::nullopt;
  const Lanes &A = Given.front(), &B = Given.back();
  Lanes Out;
  switch (O.Call->Kind) {
  case CallKind::GroupPick:
  case CallKind::GroupDrop: {
    const auto At = positionsIn(R, O);
    if (!At || llvm::any_of(*At, [&](std::int64_t I) {
          return I < 0 || I >= static_cast<std::int64_t>(A.size());
        }))
      return std::nullopt;
    if (O.Call->Kind == CallKind::GroupPick)
      for (const std::int64_t I : *At)
        Out.push_back(A[I]);
    else
      for (std::size_t I = 0; I != A.size(); ++I)
        if (!llvm::is_contained(*At, static_cast<std::int64_t>(I)))
          Out.push_back(A[I]);
    return Out;
  }
  case CallKind::GroupUnion:
    Out = A;
    for (const unsigned Lane : B)
      if (!llvm::is_contained(A, Lane))
        Out.push_back(Lane);
    return Out;
  default:
    for (const unsigned Lane : A)
      if (llvm::is_contained(B, Lane) ==
          (O.Call->Kind == CallKind::GroupIntersection))
        Out.push_back(Lane);
    return Out;
  }
}

void Simulation::makeGroup(Rank &R, const Stmt &S, const Operation &O) {
  std::optional<Lanes> Made = madeGroup(R, O);
  give(R, S, O, CallRole::NewGroup,
       Made ? groupOf(std::move(*Made))
            : W.Known.get(R.Run.keyOf(S, "group") + "@" +
                              std::to_string(R.Run.Number),
                          Trust::Unknown));
}

/// The caller's rank in a group, and how many are in it.
Value Simulation::askGroup(Rank &R, const Stmt &S, const Operation &O) {
  const std::optional<Lanes> In = membersOf(O.argument(CallRole::Group));
  if (!In)
    return W.Known.get(R.Run.keyOf(S, "group") + "@" +
                           std::to_string(R.Run.Number),
                       Trust::Unknown);
  if (O.Call->Kind == CallKind::Size)
    return Value::integer(static_cast<std::int64_t>(In->size()), true);
  const auto At = llvm::find(*In, R.Run.Number);
  if (At == In->end())
    return Value::of(ValueKind::Name,
                     W.Known.name("MPI_UNDEFINED", CallConstant::Undefined));
  Value Out = Value::integer(At - In->begin(), true);
  Out.OfRank = true;
  return Out;
}

//===--- Communicators of groups --------------------------------------------//

/// A call that only the members of its group make, as if on a communicator of
/// theirs.
void Simulation::createAmongMembers(Rank &R, const Stmt &S, Operation O) {
  const std::optional<Lanes> In = membersOf(O.argument(CallRole::Group));
  const Value *Comm = O.argument(CallRole::Comm);
  if (!In || (Comm && Groups[commOf(*Comm)].IsForeign))
    return giveUp(GiveUpReason::Members, S);
  if (!llvm::is_contained(*In, R.Run.Number))
    return give(R, S, O, CallRole::NewComm,
                Value::of(ValueKind::Comm, NullComm));
  std::string Key = "members";
  for (const CallRole Role : {CallRole::Comm, CallRole::Group, CallRole::Tag})
    if (const Value *V = O.argument(Role))
      Key += " " + W.Known.textOf(*V);
  const auto [At, New] = OfMembers.try_emplace(Key, Groups.size());
  if (New) {
    Groups.emplace_back();
    Groups.back().Lanes = *In;
    Groups.back().Key = Key;
  }
  O.Comm = At->second;
  if (Operation *Posted = postCollective(R, std::move(O)))
    leaveTo(R, S, Posted);
}

/// All ranks of a communicator say which group they are in; false: that is not
/// known, or they contradict each other.
bool Simulation::createOfGroups(Slot &Of) {
  std::map<unsigned, Lanes> Said;
  for (const Operation *O : Of) {
    const std::optional<Lanes> In = membersOf(O->argument(CallRole::Group));
    if (!In)
      return false;
    Said[O->Lane] = *In;
  }
  std::map<Lanes, unsigned> Made;
  for (Operation *O : Of) {
    const Lanes &In = Said[O->Lane];
    const bool IsMember = llvm::is_contained(In, O->Lane);
    for (const unsigned Lane : In)
      if (IsMember && Said.count(Lane) && Said[Lane] != In) {
        const auto *Other = *llvm::find_if(
            Of, [&](const Operation *P) { return P->Lane == Lane; });
        Finding F = finding(FindingKind::Metadata, *O, Other);
        F.Differs = "group";
        F.Branch = branchOf(*O, Lane);
        IsBroken = true;
        fail(std::move(F));
        return false;
      }
    if (IsMember && Made.try_emplace(In, Groups.size()).second) {
      Groups.emplace_back();
      Groups.back().Lanes = In;
      Groups.back().Key = Ranks[O->Lane]->Run.keyOf(*O->At, "comm");
    }
    give(*Ranks[O->Lane], *O->At, *O, CallRole::NewComm,
         Value::of(ValueKind::Comm, IsMember ? Made[In] : NullComm));
  }
  return true;
}

} // namespace spmd::collectives
