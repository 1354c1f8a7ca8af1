//===- SingleRankSums.cpp - What one rank adds to a sum -------------------===//
//
// The ranks' terms of a pending sum count once each, so what one rank alone
// adds to its term is in the sum once: `if (rank == 0) y = y + bias` is right
// where `y + bias` on all ranks is not. The gradient of what it adds is that
// rank's: right for R, whose gradient is pending, and not for I.
//
// Where such ranks meet the others, a value is the sum still if it is, on each
// way, what the same slot had where they parted, but for what was so added.
//
//===----------------------------------------------------------------------===//

#include "SingleRankSums.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void countRanks(const OpFact &O, llvm::ArrayRef<const AbstractValue *> Cells,
                AbstractValue &Out) {
  const auto IsDefined = [](const AbstractValue *C) { return !C->Undefined; };
  if (!llvm::all_of(Cells, IsDefined))
    return;
  if (Cells.size() == 1 && O.Rule->is(OpRole::Copies)) {
    Out.Counts = Cells[0]->Counts;
    Out.SizeOf = Cells[0]->SizeOf;
    Out.TrueOnOne = Cells[0]->TrueOnOne;
    Out.FalseOnOne = Cells[0]->FalseOnOne;
  } else if (Cells.size() == 1 && O.Rule->is(OpRole::Inverts)) {
    Out.TrueOnOne = Cells[0]->FalseOnOne | Cells[0]->Counts;
    Out.FalseOnOne = Cells[0]->TrueOnOne;
  }
  if (Cells.size() != 2)
    return;
  AxisMask Alone = 0; ///< counts, and the other is the same on all ranks
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    for (const unsigned I : {0, 1})
      if ((Cells[I]->Counts & 1u << A) && !(Cells[1 - I]->Counts & 1u << A) &&
          Cells[1 - I]->Axes[A].Set.contains(LocalType::R))
        Alone |= 1u << A;
  if (O.Rule->is(OpRole::Adds) || O.Rule->is(OpRole::Subtracts))
    Out.Counts = Alone;
  else if (O.Rule->is(OpRole::ComparesEqual))
    Out.TrueOnOne = Alone;
  else if (O.Rule->is(OpRole::ComparesUnequal))
    Out.FalseOnOne = Alone;
}

void SingleRankSums::begin() {
  OnOneRank.clear();
  NamedAt.clear();
  AddedOnce.clear();
  Sums.clear();
  FoundNoSum = false;
  for (const auto &[At, B] : Branches.byBlock())
    for (const unsigned Way : {0, 1}) {
      if (!B.OnOne[Way] || !B.Region.Iterations.empty())
        continue;
      const llvm::BitVector Alone = Branches.flow().onlyThrough(At, Way);
      for (const unsigned Block : B.Region.Between)
        for (AxisId A = 0; A != E.universe().size(); ++A)
          if (Alone.test(Block) && (B.OnOne[Way] & 1u << A))
            OnOneRank.try_emplace({Block, A}, At);
      NamedAt.try_emplace(At,
                          Names{State(Numbers.returnSlot() + 1, E.arena())});
    }
  Log.watchAdditions(!OnOneRank.empty());
}

void SingleRankSums::noteBranch() {
  if (const auto Of = NamedAt.find(Point.Block); Of != NamedAt.end())
    Of->second = Names(*Point.Now);
}

std::optional<std::size_t>
SingleRankSums::addsOnceTo(const OpFact &O, AxisId A,
                           llvm::ArrayRef<TypeSet> Sets) {
  const bool Subtracts = O.Rule->is(OpRole::Subtracts);
  if ((!Subtracts && !O.Rule->is(OpRole::Adds)) ||
      llvm::is_contained(Decls.Global, A) || !isOnOneRank(A))
    return std::nullopt;
  std::optional<std::size_t> Out;
  for (std::size_t I = 0; I != Sets.size(); ++I) {
    const AbstractValue &C = Store.read(O.Operands[I].Slot);
    const bool Scales = O.FormalOf[I] != 0 && (Subtracts || Sets.size() > 2);
    if (Sets[I] == TypeSet(LocalType::P)) {
      if (Out || Scales || !C.Axes[A].May.empty() ||
          ((C.ModifiedDivergently | C.PartialAtVaryingOffset) & 1u << A))
        return std::nullopt;
      Out = I;
      continue;
    }
    // What is pending on one way has terms of other ranks, too.
    const TypeSet Is =
        E.options().Strict ? Sets[I] & C.Axes[A].must() : Sets[I];
    if (!Is.contains(LocalType::R) &&
        (!Is.contains(LocalType::I) || Facts.givesGradient(O)))
      return std::nullopt;
  }
  return Out;
}

/// The slots that had the value of \p Id where ranks parted at \p Branch, but
/// for what one of them has added since.
std::set<std::uint32_t> SingleRankSums::addedTo(CellId Id, AxisId A,
                                                std::uint32_t Branch) {
  for (const unsigned B : Branches.byBlock().at(Branch).Region.Between)
    if (Log.isRewritten(B, Id, A))
      return {};
  if (const auto Known = AddedOnce.find({Id, A});
      Known != AddedOnce.end() && Known->second.Branch == Branch)
    return Known->second.To;
  std::set<std::uint32_t> Out;
  Names &There = NamedAt.at(Branch);
  if (!std::exchange(There.IsListed, true))
    There.Then.forEachName(
        [&](std::uint32_t Slot, CellId Of) { There.Of[Of].push_back(Slot); });
  if (Id <= Numbers.returnSlot() && There.Then.cellOf(Id) == Id)
    Out.insert(Id);
  if (const auto Of = There.Of.find(Id); Of != There.Of.end())
    Out.insert(Of->second.begin(), Of->second.end());
  return Out;
}

/// What `y[i]` is called in this block, where \p Slot is that; else \p Slot.
/// Nothing where `i` may change on the way.
std::optional<SingleRankSums::Named>
SingleRankSums::nameOfElement(SlotId Slot) const {
  const ViewFact *View = nullptr;
  for (const Fact &X : *Point.Facts)
    if (const auto *V = std::get_if<ViewFact>(&X); V && V->Dst == Slot)
      View = V;
  if (!View)
    return Named{Slot, SlotId::None};
  SlotId At = View->Offset.Slot;
  for (const Fact &X : *Point.Facts)
    if (const auto *O = std::get_if<OpFact>(&X);
        O && O->Dst == At && O->Rule->is(OpRole::Copies))
      At = O->Operands[0].Slot;
  for (const Fact &X : *Point.Facts) {
    const auto *O = std::get_if<OpFact>(&X);
    const auto *B = std::get_if<BindFact>(&X);
    if (std::holds_alternative<CallFact>(X) ||
        std::holds_alternative<HavocFact>(X) || (O && O->WritesTo == At) ||
        (B && (B->Dst == At || B->Dst == View->Src.Slot)))
      return std::nullopt;
  }
  return Named{View->Src.Slot, At};
}

AxisMask SingleRankSums::copiesAdded(const OpFact &O) {
  AxisMask Out = 0;
  if (!O.Rule->is(OpRole::Copies) || O.Operands.size() != 1)
    return Out;
  const SlotId Read = O.Operands[0].Slot;
  const CellId Id = Store.cellOf(Read);
  for (AxisId A = 0; A != E.universe().size(); ++A) {
    const auto Alone = OnOneRank.find({Point.Block, A});
    if (Alone == OnOneRank.end())
      continue;
    Added Copy{Alone->second, addedTo(Id, A, Alone->second), {}};
    const auto Known = AddedOnce.find({Id, A});
    Copy.From =
        Known != AddedOnce.end() ? Known->second.From : nameOfElement(Read);
    if (O.WritesTo == SlotId::None)
      AddedOnce[{Point.Cell, A}] = std::move(Copy);
    else if (!Copy.To.empty() && Copy.From &&
             Copy.From == nameOfElement(O.WritesTo))
      Out |= 1u << A;
  }
  return Out;
}

void SingleRankSums::noteAdded(SlotId Sum, AxisId A) {
  AddedOnce.erase({Point.Cell, A});
  if (Sum == SlotId::None)
    return;
  const std::uint32_t Branch = OnOneRank.at({Point.Block, A});
  const CellId Id = Store.cellOf(Sum);
  Added Now{Branch, addedTo(Id, A, Branch), {}};
  if (const auto Known = AddedOnce.find({Id, A}); Known != AddedOnce.end())
    Now.From = Known->second.From;
  AddedOnce[{Point.Cell, A}] = std::move(Now);
}

/// Whether \p What ways bring to a block is one sum each time that they do.
/// What an earlier visit took for one and is none is none from the beginning.
bool SingleRankSums::isKept(const std::array<std::uint32_t, 3> &What,
                            bool Now) {
  if (NoSum.count(What))
    return false;
  if (!Now) {
    FoundNoSum |= Sums.count(What) != 0;
    NoSum.insert(What);
    return false;
  }
  Sums.insert(What);
  return true;
}

AxisMask SingleRankSums::mergeAdded(
    CellId A, CellId B, CellId Merge, std::uint32_t Block,
    llvm::ArrayRef<const DivergentBranches::Branch *> On) {
  AxisMask Out = 0;
  if (OnOneRank.empty() || (On.empty() && A == B))
    return Out;
  for (AxisId Axis = 0; Axis != E.universe().size(); ++Axis) {
    const AxisMask Bit = 1u << Axis;
    std::optional<std::uint32_t> Of;
    bool Keeps = true;
    for (const auto &[At, X] : Branches.byBlock())
      if (llvm::is_contained(On, &X) && (X.Differs & Bit)) {
        Keeps &= !Of && ((X.OnOne[0] | X.OnOne[1]) & Bit) && NamedAt.count(At);
        Of = At;
      }
    const bool Meets = Of.has_value();
    if (const auto Inside = OnOneRank.find({Block, Axis});
        !Meets && Inside != OnOneRank.end())
      Of = Inside->second;
    if (!Of || !Keeps)
      continue;
    const std::set<std::uint32_t> OfA = addedTo(A, Axis, *Of),
                                  OfB = addedTo(B, Axis, *Of);
    Added Both{*Of, {}, {}};
    for (const std::uint32_t Slot : OfA)
      if (OfB.count(Slot))
        Both.To.insert(Slot);
    if (Meets && isKept({Block, Merge, Axis}, !Both.To.empty()))
      Out |= Bit;
    if (Merge != A || Merge != B)
      AddedOnce[{Merge, Axis}] = std::move(Both);
  }
  return Out;
}

} // namespace spmd::rules::inference
