//===- Partings.cpp - Branches that ranks take differently ----------------===//
//
// `if (rank == 0) y = y * 2` leaves y different between ranks, whatever type
// each of the ways gives it: where ways meet, what one of them changed is
// chosen by the condition, as if by `where(condition, a, b)`. So R becomes V.
// What was I or P has no type then: no gradient is the same on all ranks, and
// the terms that ranks changed and those that they did not are of two sums.
// In a loop that some ranks leave earlier, what its rounds change is the same
// on all that make a round, and differs behind it.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "Loops.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <queue>

namespace spmd::rules::inference {

void FunctionAnalysis::noteCondition(std::uint32_t Block) {
  const Operand &If = F.Blocks[Block].Condition;
  if (If.Slot == SlotId::None || F.Blocks[Block].Successors.size() < 2)
    return;
  const AbstractValue &C = read(If.Slot);
  auto &[Differs, MayDiffer, TrueOnOne, FalseOnOne] = Conditions[Block];
  Differs = MayDiffer = 0;
  TrueOnOne = C.TrueOnOne;
  FalseOnOne = C.FalseOnOne | C.Counts;
  if (const auto Of = NamedAt.find(Block); Of != NamedAt.end())
    Of->second = *Current;
  for (AxisId A = 0; A != C.Axes.size() && !C.Undefined; ++A) {
    const AxisState &Is = C.Axes[A];
    const std::uint32_t Bit = 1u << A;
    if (Is.Set == TypeSet(LocalType::V) && Is.May.empty())
      Differs |= Bit;
    else if (Is.Set.contains(LocalType::V) && Is.Set.size() < 3) // else unknown
      MayDiffer |= Bit;
  }
}

/// Whether other branches than were known are taken differently, or change
/// more. What was said to differ and may be the same after all is not said to
/// differ again, so that this comes to an end.
bool FunctionAnalysis::findBranches() {
  bool Changed = FoundNoSum;
  for (const auto &[Block, Seen] : Conditions) {
    auto [Differs, MayDiffer, TrueOnOne, FalseOnOne] = Seen;
    const auto Known = Branches.find(Block);
    Condition &Doubts = Doubted[Block];
    if (Known != Branches.end()) {
      Doubts.Differs |= Known->second.Differs & ~Differs;
      Doubts.TrueOnOne |= Known->second.OnOne[0] & ~TrueOnOne;
      Doubts.FalseOnOne |= Known->second.OnOne[1] & ~FalseOnOne;
    }
    Differs &= ~Doubts.Differs;
    MayDiffer =
        E.options().Strict ? (MayDiffer | Doubts.Differs) & ~Differs : 0;
    if (Known == Branches.end() && !(Differs | MayDiffer))
      continue;
    if (!Flow)
      Flow.emplace(F);
    Branch &B = Branches[Block];
    if (Known == Branches.end()) {
      B.Parts = Flow->partingAt(Block);
      B.At = F.Blocks[Block].Condition.At;
    }
    const std::array<std::uint32_t, 2> OnOne = {
        Differs & TrueOnOne & ~Doubts.TrueOnOne,
        Differs & FalseOnOne & ~Doubts.FalseOnOne};
    Changed |=
        B.Differs != Differs || (MayDiffer & ~B.MayDiffer) || B.OnOne != OnOne;
    B.OnOne = OnOne;
    B.Differs = Differs;
    B.MayDiffer |= MayDiffer;
  }
  const std::size_t Known = std::exchange(EffectsSeen, effects());
  return Changed || (!Branches.empty() && Known != EffectsSeen);
}

std::size_t FunctionAnalysis::effects() const {
  std::size_t Out = 0;
  for (const Effects &X : Done)
    Out += X.Slots.size() + X.Cells.size();
  return Out;
}

/// Whether \p Blocks made or wrote what \p Id holds in \p S, which comes from
/// there. What merged in one of them need not be theirs: the rounds of a loop
/// around them merge there too.
bool FunctionAnalysis::isMadeIn(const llvm::BitVector &Blocks, const State &S,
                                CellId Id) const {
  const auto Binds = [&](unsigned B) {
    return B < Done.size() &&
           llvm::any_of(
               Done[B].Slots, [&](auto Slot) { return S.cellOf(Slot) == Id; });
  };
  if (const auto Merge = BlockOfMerge.find(Id);
      Merge != BlockOfMerge.end() && Blocks.test(Merge->second) &&
      llvm::any_of(Blocks.set_bits(), Binds))
    return true;
  if (Id >= FirstFactCell && Id < NextMergeCell) {
    const auto After = llvm::upper_bound(BlockFactCell, Id);
    if (Blocks.test(static_cast<unsigned>(After - BlockFactCell.begin() - 1)))
      return true;
  }
  return llvm::any_of(Blocks.set_bits(), [&](unsigned B) {
    return B < Done.size() && Done[B].Cells.count(Id);
  });
}

/// Whether other ranks may make more rounds when \p From goes on to \p To.
bool FunctionAnalysis::leavesRounds(std::uint32_t From,
                                    std::uint32_t To) const {
  return llvm::any_of(Branches, [&](const auto &Of) {
    const llvm::BitVector &Rounds = Of.second.Parts.Rounds;
    return Rounds.test(From) && !Rounds.test(To);
  });
}

/// \p S goes on from \p From to \p To: out of a loop, perhaps, of which other
/// ranks make more rounds. Whether more is known there.
bool FunctionAnalysis::goOn(const State &S, std::uint32_t From,
                            std::uint32_t To) {
  std::optional<State> Behind;
  for (const auto &[At, B] : Branches) {
    if (!B.Parts.Rounds.test(From) || B.Parts.Rounds.test(To))
      continue;
    if (!Behind)
      Behind = S;
    S.forEachCell([&, &B = B](CellId Id, const AbstractValue &) {
      if (isMadeIn(B.Parts.Rounds, S, Id))
        Behind->put(Id, parted(*Behind->contents(Id), B));
    });
  }
  return mergeInto(Entries[To], Behind ? *Behind : S, To);
}

llvm::SmallVector<FunctionAnalysis::Left, 1>
FunctionAnalysis::leftAt(std::uint32_t Block) const {
  llvm::SmallVector<Left, 1> Out;
  for (const auto &[At, B] : Branches)
    for (const Parting::Meeting &M : B.Parts.Meetings) {
      if (M.At != Block)
        continue;
      Left &L = Out.emplace_back(Left{&B, {}});
      for (unsigned Before : M.Before.set_bits()) {
        L.By.Slots.insert(Done[Before].Slots.begin(), Done[Before].Slots.end());
        L.By.Cells.insert(Done[Before].Cells.begin(), Done[Before].Cells.end());
      }
    }
  return Out;
}

static llvm::StringRef letterOf(DivergedFrom Type) {
  return Type == DivergedFrom::Partial     ? "P"
         : Type == DivergedFrom::Invariant ? "I"
                                           : "R";
}

/// What \p C is when it is chosen by the condition of \p On. A sum to which
/// one rank may have added something is one still, on the axes \p Kept.
AbstractValue FunctionAnalysis::parted(AbstractValue C, const Branch &On,
                                       std::uint32_t Kept) {
  const TypeSet Fits = LocalType::R | LocalType::V;
  C.Counts = C.TrueOnOne = C.FalseOnOne = 0;
  for (AxisId A = 0; A != C.Axes.size() && !C.Undefined; ++A) {
    const std::uint32_t Bit = 1u << A;
    AxisState &Is = C.Axes[A];
    if (!((On.Differs | On.MayDiffer) & Bit) || Is.Set.isAll() ||
        Is.Set == TypeSet(LocalType::V))
      continue;
    if ((Kept & Bit) && Is.Set == TypeSet(LocalType::P) && Is.May.empty())
      continue;
    const TypeSet Was = Is.Set;
    const bool Doubts = !Is.May.empty() && (Is.must() & Fits).empty();
    if ((Was & Fits).empty() || (Doubts && !Was.subsetOf(Fits)))
      C.ModifiedDivergently |= Bit;
    if (On.Differs & Bit) {
      Is.Set = LocalType::V;
      Is.May = Doubts ? Is.Set : TypeSet::none();
    } else {
      Is.Set |= LocalType::V;
      Is.May = Is.Set;
    }
    Is.Dim.reset();
    Is.Constant = false;
    Is.By = Collected::No;
    Is.Before = !(C.ModifiedDivergently & Bit) ? DivergedFrom::Replicate
                : Was.contains(LocalType::P)   ? DivergedFrom::Partial
                                               : DivergedFrom::Invariant;
    Is.From = origin(Origin::Kind::Branch, On.At, letterOf(Is.Before));
    if (llvm::is_contained(Global, A))
      C.Spec = nullptr;
  }
  return C;
}

/// Where ranks that took two ways meet: what is not known of one way, or not
/// written on it, is not known then.
AbstractValue FunctionAnalysis::joinParted(
    const AbstractValue &A, const AbstractValue &B,
    llvm::ArrayRef<const Branch *> On, std::uint32_t Kept,
    llvm::function_ref<AbstractValue(const AbstractValue &,
                                     const AbstractValue &)>
        Join) {
  if (On.empty())
    return Join(A, B);
  AbstractValue Of[] = {A, B};
  std::uint32_t Axes = 0;
  for (const Branch *X : On) {
    Axes |= X->Differs;
    for (AbstractValue &C : Of)
      C = parted(std::move(C), *X, Kept);
  }
  AbstractValue Out = Join(Of[0], Of[1]);
  // What was reported on one way is no mistake of both.
  const bool Wrong = A.Wrong || B.Wrong;
  for (AxisId I = 0; I != Out.Axes.size(); ++I)
    if (Axes & 1u << I && (Wrong || A.Undefined != B.Undefined ||
                           A.Axes[I].Assumed || B.Axes[I].Assumed))
      Out.Axes[I] = AxisState();
  return Out;
}

/// \p Value is read on ranks of which only some changed what was I or P; a
/// value that was I matters where a \p Gradient flows back to it. Reports it
/// once.
bool FunctionAnalysis::readsModifiedDivergently(const Operand &Value, AxisId A,
                                                bool Gradient, PlaceId At,
                                                llvm::StringRef Op) {
  const CellId Id = cellOf(Value.Slot);
  const AbstractValue &C = *contents(Id);
  const AxisState &Is = C.Axes[A];
  const bool Sure = Is.Set == TypeSet(LocalType::V) && Is.May.empty();
  if (C.Undefined || !(C.ModifiedDivergently & 1u << A) ||
      !(Sure || E.options().Strict))
    return false;
  const bool WasInvariant = Is.Before == DivergedFrom::Invariant;
  if (WasInvariant && !Gradient)
    return false;
  if (Reporting && ModifiedReads.insert({Id, A}).second) {
    Violation V = violation(WasInvariant ? ViolationKind::InvariantMix
                                         : ViolationKind::PartialProduct,
                            At, A, Op);
    V.Cause = nullptr; // a collective before the branch would be one repair
    V.Alone = Unreadable::ModifiedDivergently;
    V.Operands.push_back(operandOf(Value, Is));
    V.Possible = !Sure;
    V.Required.Set = Is.Set - LocalType::V;
    E.report(std::move(V));
  }
  return true;
}

std::optional<Limit>
FunctionAnalysis::limitReached(unsigned VisitsOfBlock) const {
  const Limits &Caps = E.options().Caps;
  if (VisitsOfBlock > Caps.Visits)
    return Limit::Visits;
  if (FactsRun > Caps.Facts)
    return Limit::Facts;
  if (E.arena().numValues() > ValuesBefore + Caps.Values)
    return Limit::Values;
  return std::nullopt;
}

/// The states of all blocks, from the entry on. False when a cap was hit.
bool FunctionAnalysis::settle(const Loops &Ways) {
  const auto NumBlocks = static_cast<std::uint32_t>(F.Blocks.size());
  Entries.assign(NumBlocks + 1, State(ReturnSlot + 1, E.arena()));
  findOneRank();
  Entries[0] = Start;
  // Lowering numbers blocks so that those that lead to one come before it
  // wherever there is no loop; where ranks part that must be so.
  std::vector<std::uint32_t> Number;
  if (!Branches.empty())
    Number = ControlFlow::numberInOrder(F);
  using Entry = std::pair<std::uint32_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> Work;
  std::vector<bool> Queued(NumBlocks, false);
  std::vector<unsigned> Visits(NumBlocks, 0);
  const auto Queue = [&](std::uint32_t B) {
    if (!Queued[B])
      Work.emplace(Number.empty() ? B : Number[B], B);
    Queued[B] = true;
  };
  // Out of a loop that ranks leave one by one, once it has settled; by number.
  std::set<std::array<std::uint32_t, 3>> Later;
  const auto GoOn = [&](const State &S, std::uint32_t From, std::uint32_t To) {
    if (goOn(S, From, To) && To != NumBlocks)
      Queue(To);
  };
  Queue(0);
  // What follows a loop first comes to see it after a round, if it has one.
  std::set<std::uint32_t> FirstRound;
  while (!Work.empty() || !FirstRound.empty() || !Later.empty()) {
    if (!Later.empty() &&
        (Work.empty() || Later.begin()->front() <= Work.top().first)) {
      const auto [At, From, To] = *Later.begin();
      Later.erase(Later.begin());
      State Left = Entries[From];
      runBlock(From, Left);
      GoOn(Left, From, To);
      continue;
    }
    if (Work.empty()) {
      Queue(*FirstRound.begin());
      FirstRound.erase(FirstRound.begin());
    }
    const std::uint32_t B = Work.top().second;
    Work.pop();
    Queued[B] = false;
    if (const std::optional<Limit> Over = limitReached(++Visits[B])) {
      E.giveUp({&F, PlaceId::None, *Over});
      return false;
    }
    State S = Entries[B];
    runBlock(B, S);
    if (F.Blocks[B].Successors.empty())
      goOn(S, B, NumBlocks);
    if (BeginsLoop[B] && Visits[B] == 1)
      FirstRound.insert(B);
    for (BlockId Succ : F.Blocks[B].Successors) {
      const std::uint32_t To = index(Succ);
      if (leavesRounds(B, To)) {
        Later.insert({Number[To], B, To});
        continue;
      }
      if (FirstRound.count(B) && Ways.leaves(B, To))
        continue;
      const bool Round = isBackEdge(B, To) && FirstRound.erase(To);
      if (goOn(S, B, To) || Round)
        Queue(To);
    }
  }
  return true;
}

} // namespace spmd::rules::inference
