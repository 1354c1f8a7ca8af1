//===- FunctionAnalysis.cpp - Fixpoint and summary ------------------------===//

#include "FunctionAnalysis.h"

#include "FactSlots.h"
#include "Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

FunctionAnalysis::FunctionAnalysis(Engine &E, const Function &F,
                                   const Context &C)
    : E(E), F(F), C(C), ReturnSlot(static_cast<std::uint32_t>(F.Slots.size())),
      IsNumber(F.Slots.size(), false), Start(ReturnSlot + 1, E.arena()),
      ValuesBefore(E.arena().numValues()) {
  Global = C.OfContract ? C.Global : globalAxes(F, C.Global);
  if (!Global.empty())
    Sizes = axisTable();
  FirstFactCell = entryCell(static_cast<unsigned>(C.Cells.size()));
  CellId Next = FirstFactCell;
  for (const Block &B : F.Blocks) {
    BlockFactCell.push_back(Next);
    Next += static_cast<CellId>(B.Facts.size());
  }
  NextMergeCell = Next;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Base != SlotId::None)
      FieldsOf[index(F.Slots[I].Base)].push_back(SlotId(I));
}

namespace {

/// The slot whose contents a fact makes; literals say nothing worth a line.
SlotId definedBy(const Fact &F) {
  if (const auto *D = std::get_if<DefineFact>(&F))
    if (D->K == DefineFact::Kind::Constant || D->K == DefineFact::Kind::Zero)
      return SlotId::None;
  if (const auto *O = std::get_if<OpFact>(&F))
    return O->Dst == SlotId::None ? O->WritesTo : O->Dst;
  if (const auto *T = std::get_if<TransferFact>(&F))
    return T->Dst == SlotId::None ? T->Out.Slot : T->Dst;
  return std::visit(
      [](const auto &X) {
        if constexpr (requires { X.Dst; })
          return X.Dst;
        else
          return SlotId::None;
      },
      F);
}

} // namespace

/// A temporary that one block defines and uses is forgotten after its last
/// mention there: in long functions nearly all slots are such.
void FunctionAnalysis::computePersistentSlots() {
  constexpr std::uint32_t Unseen = ~0u;
  Persistent.assign(F.Slots.size() + 1, false);
  Persistent[ReturnSlot] = true;
  std::vector<std::uint32_t> SeenIn(F.Slots.size(), Unseen);
  std::vector<CellId> LastAt(F.Slots.size(), NoCell);
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    Persistent[I] = F.Slots[I].Kind != SlotKind::Temporary;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
    CellId At = BlockFactCell[B];
    SlotVisitor See{[&](SlotId S) {
      std::uint32_t &In = SeenIn[index(S)];
      if (In != Unseen && In != B)
        Persistent[index(S)] = true;
      In = B;
      LastAt[index(S)] = At;
    }};
    for (const Fact &Fact : F.Blocks[B].Facts) {
      std::visit(See, Fact);
      ++At;
    }
    See.slot(F.Blocks[B].Condition.Slot);
  }
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (!Persistent[I] && LastAt[I] != NoCell)
      LastMentions.emplace_back(LastAt[I], SlotId(I));
  llvm::sort(LastMentions);
}

/// The facts before the cell \p UpTo have run: nobody sees any more what only
/// their temporaries name.
void FunctionAnalysis::forgetTemporaries(CellId UpTo) {
  for (; NextMention != LastMentions.size() &&
         LastMentions[NextMention].first < UpTo;
       ++NextMention) {
    const std::uint32_t Slot = index(LastMentions[NextMention].second);
    Unnamed.push_back(Current->cellOf(Slot));
    Current->name(Slot, Slot);
  }
  for (CellId Id : Unnamed)
    Current->release(Id);
  Unnamed.clear();
  Before.clear();
}

/// A parameter, field or global of which ops take numbers, and nobody anything
/// else.
void FunctionAnalysis::computeNumbers() {
  std::vector<bool> Other(F.Slots.size(), false);
  for (const Block &B : F.Blocks)
    for (const Fact &Fact : B.Facts) {
      if (const auto *O = std::get_if<OpFact>(&Fact)) {
        for (const Operand &X : O->Operands)
          (X.Scalar ? IsNumber : Other)[index(X.Slot)] = true;
        continue;
      }
      const auto *V = std::get_if<ViewFact>(&Fact);
      std::visit(SlotVisitor{[&](SlotId S) {
                   if (!V || S != V->Offset.Slot || S == V->Src.Slot)
                     Other[index(S)] = true;
                 }},
                 Fact);
    }
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const SlotKind K = F.Slots[I].Kind;
    if (Other[I] || (K != SlotKind::Parameter && K != SlotKind::Field &&
                     K != SlotKind::Global))
      IsNumber[I] = false;
  }
}

void FunctionAnalysis::computeNames() {
  for (std::uint32_t I = 0; I != F.ObjectOf.size(); ++I) {
    const SlotId First = F.ObjectOf[I]; // the lowest of its class
    if (First == SlotId(I))
      continue;
    auto &Names = NamesOf[index(First)];
    if (Names.empty())
      Names.push_back(First);
    Names.push_back(SlotId(I));
  }
}

State FunctionAnalysis::entryState() const {
  State S(ReturnSlot + 1, E.arena());
  S.Reached = true;
  // Contents appear when a slot is first read (cellOf); here only what the
  // caller shares: aliased slots start with one cell.
  llvm::DenseMap<unsigned, CellId> First;
  for (auto [Slot, Index] : C.CellOf)
    First.try_emplace(Index, Slot);
  for (unsigned I = 0; I != C.Cells.size(); ++I)
    First.try_emplace(I, entryCell(I));
  for (auto [Slot, Index] : C.CellOf)
    S.name(Slot, First[Index]);
  for (unsigned I = 0; I != C.Cells.size(); ++I) {
    AbstractValue Given = C.Cells[I];
    Given.Untouched = !Given.Undefined;
    if (Given.Gradient != NoCell)
      Given.Gradient = First[Given.Gradient];
    S.put(First[I], std::move(Given));
  }
  return S;
}

/// The storage that \p Slot, and what else named \p A or \p B with it, names
/// where paths meet: one cell for each slot and block, so that the merges of
/// nested loops come to an end.
CellId FunctionAnalysis::mergeCell(std::uint32_t Block, std::uint32_t Slot,
                                   CellId A, CellId B) {
  const auto [It, New] =
      MergeCells.try_emplace(std::pair(Block, Slot), NextMergeCell);
  const CellId Merge = It->second;
  if (New) {
    ++NextMergeCell;
    BlockOfMerge[Merge] = Block;
    Merging.insert(Block);
  }
  mayHold(Merge, A);
  mayHold(Merge, B);
  return Merge;
}

/// What \p Id holds in \p S, where some path had it.
AbstractValue FunctionAnalysis::valueIn(const State &S, CellId Id) {
  if (const AbstractValue *C = S.contents(Id))
    return *C;
  return Id < F.Slots.size() ? initialValue(F.Slots[Id]) : unknownValue();
}

/// The slots whose storage is to be merged where \p From comes to \p Into.
std::set<std::uint32_t>
FunctionAnalysis::slotsToMerge(const State &Into, const State &From,
                               std::uint32_t Block) const {
  std::set<std::uint32_t> Out;
  State::forEachRenamed(Into, From,
                        [&](std::uint32_t Slot) { Out.insert(Slot); });
  // What this block merged on an earlier visit may be the storage of an earlier
  // iteration.
  if (Merging.contains(Block))
    Into.forEachName([&](std::uint32_t Slot, CellId Id) {
      const auto Made = BlockOfMerge.find(Id);
      if (Made != BlockOfMerge.end() && Made->second == Block &&
          From.cellOf(Slot) == Id)
        Out.insert(Slot);
    });
  return Out;
}

bool FunctionAnalysis::mergeInto(State &Into, const State &From,
                                 std::uint32_t Block) {
  if (!Into.Reached) {
    Into = From;
    return true;
  }
  const auto Join = [Iterates = F.IsKernel || BeginsLoop[Block]](
                        const AbstractValue &A, const AbstractValue &B) {
    return Iterates ? joinIterations(A, B) : join(A, B);
  };
  bool Changed = false;
  State Out = Into;
  const auto Set = [&](CellId Id, const AbstractValue &New) {
    const AbstractValue *Old = Into.contents(Id);
    if (Old && *Old == New)
      return;
    Out.put(Id, New);
    Changed = true;
  };
  const llvm::SmallVector<Left, 1> Parted = leftAt(Block);
  const auto PartedBy = [&](llvm::function_ref<bool(const Effects &)> Changes) {
    llvm::SmallVector<const Branch *, 2> On;
    for (const Left &L : Parted)
      if (Changes(L.By))
        On.push_back(L.Of);
    return On;
  };
  // Slots stay one storage only if they are so on every path.
  std::map<std::pair<CellId, CellId>, CellId> Merges;
  llvm::SmallDenseSet<CellId, 4> Merged;
  llvm::SmallVector<CellId, 4> Lost;
  // The gradient of what has one on a path only is the dual on the other.
  std::map<CellId, AbstractValue> Gradients;
  const auto JoinGradient = [&](AbstractValue &Joined, CellId A, CellId B) {
    const AbstractValue InA = valueIn(Into, A), InB = valueIn(From, B);
    const std::optional<AbstractValue> Gradient =
        joinGradients(InA, gradientOf(Into, A), InB, gradientOf(From, B));
    if (!Gradient)
      return;
    Joined.Gradient = gradientOf(Into, A) ? InA.Gradient : InB.Gradient;
    Merged.insert(Joined.Gradient);
    Gradients.insert_or_assign(Joined.Gradient, *Gradient);
  };
  for (std::uint32_t I : slotsToMerge(Into, From, Block)) {
    const CellId A = Into.cellOf(I), B = From.cellOf(I);
    const auto [It, First] = Merges.try_emplace({A, B}, A);
    if (First)
      It->second = mergeCell(Block, I, A, B);
    const CellId M = It->second;
    const auto On = PartedBy([&](const Effects &By) {
      return (A != B && By.Slots.count(I)) || By.Cells.count(A) ||
             By.Cells.count(B);
    });
    const std::uint32_t Kept = mergeAdded(A, B, M, Block, On);
    AbstractValue Joined =
        joinParted(valueIn(Into, A), valueIn(From, B), On, Kept, Join);
    if (M != A && Into.contents(M))
      Joined = joinParted(*Into.contents(M), Joined, On, Kept, Join);
    JoinGradient(Joined, A, B);
    Set(M, Joined);
    Merged.insert(M);
    if (M != A) {
      Out.name(I, M);
      Lost.push_back(A);
      Changed = true;
    }
  }
  std::set<CellId> Cells;
  State::forEachChanged(Into, From, [&](CellId Id) { Cells.insert(Id); });
  for (const Left &L : Parted)
    Cells.insert(L.By.Cells.begin(), L.By.Cells.end());
  for (CellId Id : Cells)
    if (AbstractValue Joined; Into.contents(Id) && From.contents(Id))
      JoinGradient(Joined, Id, Id);
  // Views come after what they are views of.
  for (CellId Id : llvm::reverse(Cells)) {
    const bool InInto = Into.contents(Id), InFrom = From.contents(Id);
    if (Merged.contains(Id) || !(InInto || InFrom))
      continue;
    // What only one path has is there for who came that way.
    if (Id > ReturnSlot && !(InInto && InFrom)) {
      if (!InInto && Out.isSeen(Id)) {
        Out.put(Id, *From.contents(Id));
        Changed = true;
      }
      continue;
    }
    const auto On =
        PartedBy([Id](const Effects &By) { return By.Cells.count(Id); });
    const std::uint32_t Kept = mergeAdded(Id, Id, Id, Block, On);
    AbstractValue Joined =
        joinParted(valueIn(Into, Id), valueIn(From, Id), On, Kept, Join);
    JoinGradient(Joined, Id, Id);
    Set(Id, Joined);
  }
  for (const auto &[Id, Value] : Gradients)
    Set(Id, Value);
  for (CellId Id : Lost)
    Out.release(Id);
  Into = std::move(Out);
  return Changed;
}

void FunctionAnalysis::runBlock(std::uint32_t Block, State &S) {
  Current = &S;
  CurrentBlock = Block;
  Writes[Block].clear();
  CellId FactCell = BlockFactCell[Block];
  NextMention =
      llvm::lower_bound(LastMentions, std::pair(FactCell, SlotId(0))) -
      LastMentions.begin();
  CurrentFacts = &F.Blocks[Block].Facts;
  for (const Fact &Fact : *CurrentFacts) {
    CurrentFact = &Fact;
    CurrentFactCell = FactCell++;
    std::visit([this](const auto &X) { transfer(X); }, Fact);
    if (Reporting) {
      const SlotId Made = definedBy(Fact);
      observe(Made, placeOf(Fact));
      noteKnown(Made, placeOf(Fact));
    }
    forgetTemporaries(FactCell);
  }
  noteCondition(Block);
  forgetTemporaries(FactCell + 1);
  FactsRun += F.Blocks[Block].Facts.size();
  E.countFacts(static_cast<unsigned>(F.Blocks[Block].Facts.size()));
}

std::optional<Summary> FunctionAnalysis::run(bool Report) {
  computePersistentSlots();
  computeGradients();
  computeNames();
  computeNumbers();
  const auto NumBlocks = static_cast<std::uint32_t>(F.Blocks.size());
  Writes.resize(NumBlocks);
  Done.resize(NumBlocks);
  const Loops Ways(F, [](std::uint32_t) { return true; });
  BeginsLoop.resize(NumBlocks + 1);
  for (std::uint32_t B = 0; B != NumBlocks; ++B)
    BeginsLoop[B] = Ways.beginsAt(B);
  ValuesBefore = E.arena().numValues();
  Start = entryState();
  // What ranks that part leave different is known once all was seen.
  do
    if (!settle(Ways))
      return std::nullopt;
  while (findBranches());
  Reporting = Report;
  const std::vector<SlotId> Owned =
      Report ? ownedReplicas() : std::vector<SlotId>();
  std::vector<State> Ends; ///< of the blocks
  for (std::uint32_t B = 0; Report && B != NumBlocks; ++B) {
    State S = Entries[B];
    if (S.Reached) {
      Current = &S;
      if (B == 0)
        observeParameters();
      runBlock(B, S);
    }
    if (!Owned.empty())
      Ends.push_back(std::move(S));
  }
  if (Report && E.options().FindRedundant)
    reportRedundant();
  State &Exit = Entries[NumBlocks];
  if (!Exit.Reached) // every path loops for ever or is cut off
    Exit = Entries[0];
  checkExits(Exit);
  for (SlotId Slot : Owned)
    checkOwned(Slot, Ends, Exit);
  if (F.IsConstructor)
    believeFields(Exit);
  return summarise(Exit);
}

Summary FunctionAnalysis::summarise(const State &Exit) {
  Summary Out;
  State S = Exit;
  Current = &S;
  llvm::DenseMap<CellId, int> InputOf;
  Out.ExitCells.resize(C.Cells.size());
  Out.Written.resize(static_cast<unsigned>(C.Cells.size()));
  std::vector<CellId> Inputs(C.Cells.size());
  for (unsigned I = 0; I != Inputs.size(); ++I)
    Inputs[I] = entryCell(I);
  for (auto [Slot, Index] : C.CellOf)
    Inputs[Index] = Start.cellOf(Slot);
  for (unsigned Index = 0; Index != Inputs.size(); ++Index) {
    const CellId Id = Inputs[Index];
    InputOf[Id] = static_cast<int>(Index);
    const AbstractValue *Now = S.contents(Id);
    Out.ExitCells[Index] = Now ? *Now : C.Cells[Index];
    Out.ExitCells[Index].Untouched = false;
    crossOver(Out.ExitCells[Index]);
    for (const BlockWrites &W : Writes)
      if (const auto At = W.lower_bound({Id, 0});
          At != W.end() && At->first.first == Id)
        Out.Written.set(Index);
    for (AxisId A = 0; A != Out.ExitCells[Index].Axes.size(); ++A)
      if (const AxisState *Diverged = Out.ExitCells[Index].Axes[A].Set.isAll()
                                          ? nullptr
                                          : divergedAtExit(Id, A))
        Out.Diverged.push_back({Index, A, *Diverged});
  }
  summariseGradients(Inputs, Out);
  auto AliasOf = [&](CellId Id) {
    auto It = InputOf.find(Id);
    return It == InputOf.end() ? -1 : It->second;
  };
  const CellId Returned = S.cellOf(ReturnSlot);
  Out.Returns = Returned != ReturnSlot;
  Out.ResultAlias = AliasOf(Returned);
  auto Plain = [&](CellId Id) {
    const AbstractValue *Now = S.contents(Id);
    AbstractValue V = Now ? *Now : unknownValue();
    static_cast<ViewPosition &>(V) = {};
    V.Gradient = NoCell;
    V.Untouched = false;
    crossOver(V);
    return V;
  };
  const auto WholeOf = [&](CellId Id) {
    for (CellId Of : wholesOf(Id))
      if (const int Alias = AliasOf(Of); Of != Id && Alias >= 0)
        return Alias;
    return -1;
  };
  if (Out.Returns) {
    Out.Result = Plain(Returned);
    if (Out.ResultAlias < 0)
      Out.ResultWhole = WholeOf(Returned);
  }
  for (const auto &[List, Index] : InputOf)
    for (CellId Member : heldBy(List))
      if (const int Alias = AliasOf(Member); Alias >= 0 && Member != List)
        Out.Joined.emplace_back(Index, Alias);
  llvm::sort(Out.Joined);
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &Sl = F.Slots[I];
    const bool Visible = (Sl.Kind == SlotKind::Field && !F.isOwnCopy(Sl)) ||
                         Sl.Kind == SlotKind::Global ||
                         (Sl.Kind == SlotKind::Parameter && Sl.ByReference);
    if (!Visible || S.cellOf(I) == Start.cellOf(I))
      continue;
    Out.Rebindings.push_back(
        {I, AliasOf(S.cellOf(I)), Plain(S.cellOf(I)), WholeOf(S.cellOf(I))});
  }
  return Out;
}

} // namespace spmd::rules::inference
