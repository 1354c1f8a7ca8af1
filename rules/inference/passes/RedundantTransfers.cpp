//===- Redundant.cpp - Operators in a row that one could replace ----------===//
//
// Operators that keep the meaning may be exchanged for any others between the
// same types that do: value and gradient are then the same. What stands between
// them must be seen by no one else. DTensor's design of a Reduced
// placement: what is gathered to I and used as
// R could be gathered to R.
//
//===----------------------------------------------------------------------===//

#include "RedundantTransfers.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

const Transition *rowOf(const TransferFact &T) {
  const auto Op = operatorOf(T.K);
  if (!Op || !T.From || !T.To || T.Out.Slot != SlotId::None ||
      T.Dst == SlotId::None || T.Reduction != ReductionKind::Sum)
    return nullptr;
  const Transition *Row = findTransition(*Op, T.From->Type, T.To->Type);
  // What is reduced from V is something else than what each rank held.
  return Row && Row->KeepsMeaning && Row->Src == T.From->Type ? Row : nullptr;
}

/// One operator from \p Src to \p Dst, null where none is needed; nothing when
/// the table has none for everyday use.
std::optional<const Transition *> directWay(const Atom &Src, const Atom &Dst) {
  if (Src == Dst)
    return nullptr;
  if (Src.Type == LocalType::V && Dst.Type == LocalType::V) {
    // -1 and 2 may be the same dim.
    if (!Src.ShardDim || !Dst.ShardDim ||
        (*Src.ShardDim < 0) != (*Dst.ShardDim < 0))
      return std::nullopt;
  }
  const Transition *Best = nullptr;
  for (const Transition &T : Transitions)
    if (T.Src == Src.Type && T.Dst == Dst.Type && T.KeepsMeaning &&
        !T.ExpertOnly &&
        (!Best || isCheaper(roundTripOf(T), roundTripOf(*Best))))
      Best = &T;
  if (!Best)
    return std::nullopt;
  return Best;
}

} // namespace

RedundantTransfers::RedundantTransfers(const Function &F, const SoundMap &Sound)
    : F(F), Sound(Sound), MentionedBy(F.Slots.size()) {
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts) {
      if (std::holds_alternative<PointFact>(X))
        continue;
      CallsOut |= std::holds_alternative<CallFact>(X);
      forEachSlot(X, [&](SlotId S, SlotAccess) {
        auto &Facts = MentionedBy[index(S)];
        if (Facts.empty() || Facts.back().second != &X)
          Facts.emplace_back(B, &X);
      });
    }
  for (const Slot &S : F.Slots)
    if (S.Base != SlotId::None)
      HasFields.insert(index(S.Base));
}

bool RedundantTransfers::isPlainLocal(SlotId Id) const {
  const Slot &S = F.slot(Id);
  return S.Kind == SlotKind::Local && !S.Declared && !S.ByReference &&
         !S.Escapes && !HasFields.contains(index(Id));
}

/// The operators of \p Block that read the result of \p T, when nothing else
/// does.
std::optional<RedundantTransfers::Group>
RedundantTransfers::usersOf(const TransferFact &T, std::uint32_t Block) const {
  Group Out;
  llvm::SmallVector<SlotId, 2> Names{T.Dst};
  for (std::size_t I = 0; I != Names.size(); ++I) {
    // What is read before it is made is of the round of a loop before.
    const auto *Made = MentionedBy[index(Names[I])].front().second;
    if (I ? !std::get_if<BindFact>(Made)
          : std::get_if<TransferFact>(Made) != &T)
      return std::nullopt;
    for (const auto &[In, X] : MentionedBy[index(Names[I])]) {
      if (const auto *B = std::get_if<BindFact>(X)) {
        if (I && B->Dst == Names[I]) { // one that names it once and for all
          if (B->Src.Slot != Names[0] || In != Block)
            return std::nullopt;
        } else if (B->Src.Slot == Names[I] && Names.size() == 1 &&
                   isPlainLocal(B->Dst)) {
          Names.push_back(B->Dst);
        } else {
          return std::nullopt;
        }
        continue;
      }
      const auto *User = std::get_if<TransferFact>(X);
      if (User == &T)
        continue;
      if (!User || In != Block || User->Src.Slot != Names[I] ||
          User->Dst == Names[I] || User->Out.Slot != SlotId::None)
        return std::nullopt;
      Out.push_back(User);
    }
  }
  return Out;
}

/// All that reads the results of \p From, when it is one operator, perhaps
/// several times.
RedundantTransfers::Group RedundantTransfers::next(const Group &From,
                                                   std::uint32_t Block) const {
  Group Out;
  for (const TransferFact *T : From) {
    const std::optional<Group> Users = usersOf(*T, Block);
    if (!Users || Users->empty())
      return {};
    Out.append(*Users);
  }
  const auto First = Sound.find(From.front());
  for (const TransferFact *T : Out) {
    const auto S = Sound.find(T);
    if (S == Sound.end() || S->second.Axis != First->second.Axis ||
        !isOneAxis(T->Axis.Slot, From.front()->Axis.Slot) || !rowOf(*T) ||
        *T->From != *From.front()->To || T->K != Out[0]->K ||
        *T->To != *Out[0]->To)
      return {};
  }
  return Out;
}

/// Whether two communicators span one axis whatever the function is called
/// with: here they do.
bool RedundantTransfers::isOneAxis(SlotId A, SlotId B) const {
  const auto IsFixed = [&](SlotId Id) {
    const Slot &S = F.slot(Id);
    return !S.DeclaredAxes.empty() || S.Kind == SlotKind::Temporary;
  };
  return A == B || (IsFixed(A) && IsFixed(B));
}

/// Values that were apart and would be one: none may change while another is
/// in use.
bool RedundantTransfers::isWritten(llvm::ArrayRef<SlotId> Slots) const {
  llvm::SmallVector<SlotId, 8> Same(Slots);
  for (std::size_t I = 0; I != Same.size(); ++I) {
    const auto Add = [&](SlotId S) {
      if (S != SlotId::None && !llvm::is_contained(Same, S))
        Same.push_back(S);
    };
    const SlotKind Kind = F.slot(Same[I]).Kind;
    const bool IsLocal = Kind == SlotKind::Local ||
                         Kind == SlotKind::Parameter ||
                         Kind == SlotKind::Temporary;
    // Others may write what is not the function's own.
    if (F.slot(Same[I]).Escapes || (!IsLocal && CallsOut))
      return true;
    unsigned Bound = Kind == SlotKind::Parameter;
    for (const auto &[In, X] : MentionedBy[index(Same[I])]) {
      if (const auto *B = std::get_if<BindFact>(X)) {
        Bound += B->Dst == Same[I];
        Add(B->Dst), Add(B->Src.Slot);
      } else if (const auto *V = std::get_if<ViewFact>(X)) {
        if (V->Offset.Slot != Same[I])
          Add(V->Dst), Add(V->Src.Slot);
      } else if (const auto *O = std::get_if<OpFact>(X)) {
        if (O->WritesTo == Same[I])
          return true;
        if (!O->Rule->Views.empty())
          Add(O->Dst);
      } else if (const auto *T = std::get_if<TransferFact>(X)) {
        if (T->Out.Slot == Same[I])
          return true;
      } else if (std::get_if<HavocFact>(X) || std::get_if<CallFact>(X)) {
        return true;
      }
    }
    if (Bound > 1 && Kind != SlotKind::Temporary)
      return true;
  }
  return false;
}

std::optional<Redundancy>
RedundantTransfers::startingAt(const TransferFact &T,
                               std::uint32_t Block) const {
  const Transition *Row = rowOf(T);
  if (!Row || !Sound.contains(&T))
    return std::nullopt;
  std::optional<Redundancy> Best;
  Redundancy Chain;
  Chain.Transfers.push_back(&T);
  RoundTrip Spent = roundTripOf(*Row), Saved;
  std::size_t MostRemoved = 0;
  Group Last{&T};
  for (unsigned Length = 2; Length <= MaxLength; ++Length) {
    Last = next(Last, Block);
    if (Last.empty())
      break;
    for (const TransferFact *X : Last) {
      if (llvm::is_contained(Chain.Transfers, X)) // round a loop
        return Best;
      Chain.Transfers.push_back(X);
      Spent = Spent + roundTripOf(*rowOf(*X));
    }
    const auto Way = directWay(*T.From, *Last.front()->To);
    if (!Way)
      continue;
    const RoundTrip Cost = *Way ? roundTripOf(**Way) : RoundTrip();
    if (!isCheaper(Cost, Spent))
      continue;
    llvm::SmallVector<SlotId, 4> Ends;
    for (const TransferFact *X : Last)
      Ends.push_back(X->Dst);
    if (!*Way)
      Ends.push_back(T.Src.Slot);
    if (Ends.size() > 1 && isWritten(Ends))
      continue;
    // The longest that still saves more is the one to replace, in bytes or in
    // operators.
    const RoundTrip Here{{Spent.Forward.Wholes - Cost.Forward.Wholes,
                          Spent.Forward.Shards - Cost.Forward.Shards},
                         {Spent.Backward.Wholes - Cost.Backward.Wholes,
                          Spent.Backward.Shards - Cost.Backward.Shards}};
    const auto Removed = Chain.Transfers.size() - (*Way ? 1 : 0);
    if (Best && !isCheaper(Saved, Here) &&
        (!(Saved == Here) || Removed <= MostRemoved))
      continue;
    MostRemoved = Removed;
    Saved = Here;
    Best = Chain;
    Best->Instead = *Way;
  }
  return Best;
}

std::vector<Redundancy> RedundantTransfers::find() const {
  std::vector<Redundancy> Out;
  llvm::DenseSet<const TransferFact *> Taken;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts) {
      const auto *T = std::get_if<TransferFact>(&X);
      if (!T || Taken.contains(T))
        continue;
      std::optional<Redundancy> R = startingAt(*T, B);
      if (!R)
        continue;
      Taken.insert(R->Transfers.begin(), R->Transfers.end());
      Out.push_back(std::move(*R));
    }
  return Out;
}

} // namespace spmd::rules::inference
