//===- DivergentBranches.cpp - Branches that ranks take differently -------===//
//
// `if (rank == 0) y = y * 2` leaves y different between ranks, whatever type
// each of the ways gives it: where ways meet, what one of them changed is
// chosen by the condition, as if by `where(condition, a, b)`. So R becomes V.
// What was I or P has no type then: no gradient is the same on all ranks, and
// the terms that ranks changed and those that they did not are of two sums.
// In a loop that some ranks leave earlier, what its iterations change is the
// same on all that iterate, and differs behind it.
//
//===----------------------------------------------------------------------===//

#include "DivergentBranches.h"

#include "passes/Loops.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void DivergentBranches::noteCondition(std::uint32_t Block,
                                      const AbstractValue &C) {
  auto &[Differs, MayDiffer, TrueOnOne, FalseOnOne, OfOwn] = Conditions[Block];
  Differs = MayDiffer = OfOwn = 0;
  TrueOnOne = C.TrueOnOne;
  FalseOnOne = C.FalseOnOne | C.Counts;
  for (AxisId A = 0; A != C.Axes.size() && !C.Undefined; ++A) {
    const AxisState &Is = C.Axes[A];
    const AxisMask Bit = 1u << A;
    if (Is.Set == TypeSet(LocalType::V) && Is.May.empty())
      Differs |= Bit;
    else if (Is.Set.contains(LocalType::V) && Is.Set.size() < 3) // else unknown
      MayDiffer |= Bit;
    if (Is.Own != OwnTerms::No)
      OfOwn |= Bit;
  }
}

/// What was said to differ and may be the same after all is not said to
/// differ again, so that this comes to an end.
bool DivergentBranches::update() {
  bool Changed = false;
  const std::size_t Before = Branches.size();
  for (const auto &[Block, Seen] : Conditions) {
    auto [Differs, MayDiffer, TrueOnOne, FalseOnOne, OfOwn] = Seen;
    const auto Known = Branches.find(Block);
    Condition &Doubts = Doubted[Block];
    if (Known != Branches.end()) {
      Doubts.Differs |= Known->second.Differs & ~Differs;
      Doubts.TrueOnOne |= Known->second.OnOne[0] & ~TrueOnOne;
      Doubts.FalseOnOne |= Known->second.OnOne[1] & ~FalseOnOne;
      Doubts.OfOwn |= Known->second.OfOwn & ~OfOwn;
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
      B.Region = Flow->divergenceAt(Block);
      B.At = F.Blocks[Block].Condition.At;
    }
    const std::array<std::uint32_t, 2> OnOne = {
        Differs & TrueOnOne & ~Doubts.TrueOnOne,
        Differs & FalseOnOne & ~Doubts.FalseOnOne};
    OfOwn &= Differs & ~Doubts.OfOwn;
    Changed |= B.Differs != Differs || (MayDiffer & ~B.MayDiffer) ||
               B.OnOne != OnOne || B.OfOwn != OfOwn;
    B.OnOne = OnOne;
    B.OfOwn = OfOwn;
    B.Differs = Differs;
    B.MayDiffer |= MayDiffer;
  }
  if (Branches.size() != Before)
    indexBranches();
  const std::size_t Known = std::exchange(EffectsSeen, Log.numEffects());
  return Changed || (!Branches.empty() && Known != EffectsSeen);
}

AxisMask DivergentBranches::splitAt(std::uint32_t Block) const {
  AxisMask Out = 0;
  for (const auto &[At, B] : Branches)
    if (B.Region.Between.test(Block))
      Out |= B.Differs;
  return Out;
}

void DivergentBranches::indexBranches() {
  MeetingAt.clear();
  Iterating.clear();
  for (const auto &[At, B] : Branches) {
    for (const DivergentRegion::Reconvergence &M : B.Region.Reconvergences)
      if (auto &Here = MeetingAt[M.At]; !llvm::is_contained(Here, &B))
        Here.push_back(&B);
    if (!B.Region.Iterations.empty())
      Iterating.push_back(&B);
  }
}

/// Whether \p Blocks made or wrote what \p Id holds in \p S, which comes from
/// there. What merged in one of them need not be theirs: the iterations of a
/// loop around them merge there too.
bool DivergentBranches::isMadeIn(const BlockSet &Blocks, const State &S,
                                 CellId Id) const {
  const auto Binds = [&](unsigned B) {
    return B < F.Blocks.size() &&
           llvm::any_of(
               Log.effectsOf(B).Slots,
               [&](auto Slot) { return S.cellOf(Slot) == Id; });
  };
  if (const auto Merge = Numbers.blockOfMerge(Id);
      Merge && Blocks.test(*Merge) && llvm::any_of(Blocks, Binds))
    return true;
  if (const auto Of = Numbers.blockOfFact(Id); Of && Blocks.test(*Of))
    return true;
  return llvm::any_of(Blocks, [&](unsigned B) {
    return B < F.Blocks.size() && Log.effectsOf(B).Cells.count(Id);
  });
}

/// Whether who goes from \p From to \p To iterates no more to \p B.
static bool leaves(const DivergentBranches::Branch &B, std::uint32_t From,
                   std::uint32_t To) {
  return B.Region.Iterations.test(From) && !B.Region.Iterations.test(To);
}

bool DivergentBranches::leavesIterations(std::uint32_t From,
                                         std::uint32_t To) const {
  return llvm::any_of(Iterating,
                      [&](const Branch *B) { return leaves(*B, From, To); });
}

std::optional<State> DivergentBranches::behind(const State &S,
                                               std::uint32_t From,
                                               std::uint32_t To) const {
  std::optional<State> Behind;
  for (const Branch *B : Iterating) {
    if (!leaves(*B, From, To))
      continue;
    if (!Behind)
      Behind = S;
    S.forEachCell([&](CellId Id, const AbstractValue &) {
      if (isMadeIn(B->Region.Iterations, S, Id))
        Behind->put(Id, diverge(*Behind->contents(Id), *B));
    });
  }
  return Behind;
}

llvm::SmallVector<DivergentBranches::Left, 1>
DivergentBranches::leftAt(std::uint32_t Block) const {
  llvm::SmallVector<Left, 1> Out;
  const auto Meeting = MeetingAt.find(Block);
  if (Meeting == MeetingAt.end())
    return Out;
  for (const Branch *B : Meeting->second)
    for (const DivergentRegion::Reconvergence &M : B->Region.Reconvergences) {
      if (M.At != Block)
        continue;
      Left &L = Out.emplace_back(Left{B, {}});
      for (unsigned Before : M.Before) {
        const WriteLog::Effects &By = Log.effectsOf(Before);
        L.By.Slots.insert(By.Slots.begin(), By.Slots.end());
        L.By.Cells.insert(By.Cells.begin(), By.Cells.end());
      }
    }
  return Out;
}

static llvm::StringRef letterOf(DivergedFrom Type) {
  return Type == DivergedFrom::Partial     ? "P"
         : Type == DivergedFrom::Invariant ? "I"
                                           : "R";
}

AbstractValue DivergentBranches::diverge(AbstractValue C, const Branch &On,
                                         AxisMask Kept) const {
  const TypeSet Fits = LocalType::R | LocalType::V;
  C.Counts = C.TrueOnOne = C.FalseOnOne = 0;
  for (AxisId A = 0; A != C.Axes.size() && !C.Undefined; ++A) {
    const AxisMask Bit = 1u << A;
    AxisState &Is = C.Axes[A];
    if (!((On.Differs | On.MayDiffer) & Bit) || Is.Set.isAll() ||
        Is.Set == TypeSet(LocalType::V))
      continue;
    if ((Kept & Bit) && Is.Set == TypeSet(LocalType::P) && Is.May.empty())
      continue;
    const TypeSet Was = Is.Set;
    // What is R on one path and V on another is V on both then.
    const bool Doubts =
        !Is.May.empty() && (Is.must() & Fits).empty() && !Was.subsetOf(Fits);
    if ((Was & Fits).empty() || Doubts)
      C.ModifiedDivergently |= Bit;
    if (On.Differs & Bit) {
      Is.Set = LocalType::V;
      Is.May = Doubts ? Is.Set : TypeSet::none();
    } else {
      Is.Set |= LocalType::V;
      Is.May = Is.Set;
    }
    Is.Dim.reset();
    // A number that data decide, as how many there are, is no data itself.
    if (On.OfOwn & Bit && !(C.ModifiedDivergently & Bit) && !C.Number)
      Is.Own = OwnTerms::Taken;
    Is.Constant = false;
    Is.By = Collected::No;
    Is.Before = !(C.ModifiedDivergently & Bit) ? DivergedFrom::Replicate
                : Was.contains(LocalType::P)   ? DivergedFrom::Partial
                                               : DivergedFrom::Invariant;
    Is.From = Decls.origin(Origin::Kind::Branch, On.At, letterOf(Is.Before));
    if (llvm::is_contained(Decls.Global, A))
      C.Spec = nullptr;
  }
  return C;
}

/// The root of a reduction of a gradient has the sum then, and the others what
/// they sent: on each rank it is something else, and no more a sum. Nothing but
/// an optimizer asks for it.
static void leaveReduced(AxisState &A, AxisState &B) {
  const auto Is = [](const AxisState &X, LocalType T) {
    return X.Set == TypeSet(T) && X.May.empty();
  };
  if (Is(A, LocalType::V) && Is(B, LocalType::P))
    B = A;
  else if (Is(B, LocalType::V) && Is(A, LocalType::P))
    A = B;
}

/// What some ranks have made, and the others have nothing of.
AxisState DivergentBranches::madeByFew(const Branch &On) const {
  AxisState Out = AxisState::of(LocalType::V,
                                Decls.origin(Origin::Kind::Branch, On.At, "R"));
  Out.Before = DivergedFrom::Replicate;
  return Out;
}

/// Whether \p X, or a call that it is, may write \p Buffer or what views of it.
static bool mayWrite(const Function &F, const Fact &X, SlotId Buffer) {
  const auto IsOf = [&](SlotId S) {
    return S == Buffer ||
           llvm::any_of(factsOf<ViewFact>(F), [&](const auto &V) {
             return V.Dst == S && V.Src.Slot == Buffer;
           });
  };
  bool Out = false;
  forEachSlot(X, [&](SlotId S, SlotAccess Access) {
    Out |= (Access.Writes || std::holds_alternative<CallFact>(X)) && IsOf(S);
  });
  return Out;
}

/// The collective that \p Is is the result of, if that is one of a way of \p On
/// and nothing is written to its buffer behind it; null if it is none of one.
const TransferFact *
DivergentBranches::collectiveOf(const AxisState &Is,
                                llvm::ArrayRef<const Branch *> On) const {
  if (!Is.From || Is.From->K != Origin::Kind::Transfer || Is.From->In != &F ||
      !Is.Set.subsetOf(LocalType::R | LocalType::I) || On.size() != 1)
    return nullptr;
  const BlockSet &Way = On.front()->Region.Between;
  const TransferFact *Found = nullptr;
  std::uint32_t At = 0;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts)
      if (const auto *T = std::get_if<TransferFact>(&X);
          T && T->At == Is.From->At && Way.test(B))
        Found = T, At = B;
      else if (Found && Way.test(B) && mayWrite(F, X, Found->Out.Slot) &&
               (B == At || comesTo(F, At, B)))
        return nullptr;
  return Found;
}

/// Whether each of the ways has the same collective of the same buffer: `if
/// (rank == 0) { fill(w); MPI_Bcast(w, …); } else MPI_Bcast(w, …);` is one that
/// all ranks take part in.
bool DivergentBranches::isOneCollective(
    const AxisState &A, const AxisState &B,
    llvm::ArrayRef<const Branch *> On) const {
  const TransferFact *OfA = collectiveOf(A, On), *OfB = collectiveOf(B, On);
  return OfA && OfB && OfA->At != OfB->At && OfA->K == OfB->K &&
         OfA->Src.Slot == OfB->Src.Slot && OfA->Out.Slot == OfB->Out.Slot &&
         OfA->Reduction == OfB->Reduction;
}

AbstractValue DivergentBranches::joinDiverged(const AbstractValue &A,
                                              const AbstractValue &B,
                                              llvm::ArrayRef<const Branch *> On,
                                              AxisMask Kept,
                                              Join JoinValues) const {
  if (On.empty())
    return JoinValues(A, B);
  AbstractValue Of[] = {A, B};
  AxisMask Axes = 0;
  for (const Branch *X : On) {
    Axes |= X->Differs;
    for (AxisId I = 0; I != A.Axes.size(); ++I)
      if (A.IsGradient && B.IsGradient && (X->Differs & 1u << I))
        leaveReduced(Of[0].Axes[I], Of[1].Axes[I]);
    for (AbstractValue &C : Of)
      C = diverge(std::move(C), *X, Kept);
  }
  AbstractValue Out = JoinValues(Of[0], Of[1]);
  // What was reported on one way is no mistake of both.
  const bool Wrong = A.Wrong || B.Wrong;
  for (AxisId I = 0; I != Out.Axes.size(); ++I)
    if (Axes & 1u << I) {
      if (Wrong || A.Axes[I].Assumed || B.Axes[I].Assumed)
        Out.Axes[I] = AxisState();
      else if (A.Undefined != B.Undefined)
        Out.Axes[I] = madeByFew(*On.front());
      else if (isOneCollective(A.Axes[I], B.Axes[I], On))
        Out.Axes[I] = JoinValues(A, B).Axes[I];
    }
  return Out;
}

} // namespace spmd::rules::inference
