//===- FunctionAnalysis.cpp - Fixpoint and summary ------------------------===//

#include "FunctionAnalysis.h"

#include "FactSlots.h"
#include "Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

FunctionAnalysis::FunctionAnalysis(Engine &E, const Function &F,
                                   const Context &C)
    : E(E), F(F), C(C), IsNumber(F.Slots.size(), false),
      ReturnSlot(static_cast<std::uint32_t>(F.Slots.size())) {
  Global = C.OfContract ? C.Global : globalAxes(F, C.Global);
  if (!Global.empty())
    Sizes = axisTable();
  FirstFactCell = ReturnSlot + 1;
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

/// A temporary that one block defines and uses need not be merged: in long
/// straight-line code nearly all slots are such.
void FunctionAnalysis::computePersistentSlots() {
  constexpr std::uint32_t Unseen = ~0u;
  Persistent.assign(F.Slots.size() + 1, false);
  Persistent[ReturnSlot] = true;
  std::vector<std::uint32_t> SeenIn(F.Slots.size(), Unseen);
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    Persistent[I] = F.Slots[I].Kind != SlotKind::Temporary;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
    SlotVisitor See{[&](SlotId S) {
      std::uint32_t &In = SeenIn[index(S)];
      if (In != Unseen && In != B)
        Persistent[index(S)] = true;
      In = B;
    }};
    for (const Fact &Fact : F.Blocks[B].Facts)
      std::visit(See, Fact);
    See.slot(F.Blocks[B].Condition.Slot);
  }
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

State FunctionAnalysis::entryState() {
  State S;
  S.Reached = true;
  S.Slots.resize(F.Slots.size() + 1);
  for (std::uint32_t I = 0; I != S.Slots.size(); ++I)
    S.Slots[I] = I;
  // Contents appear when a slot is first read (cellOf); here only what the
  // caller shares: aliased slots start with one cell.
  llvm::DenseMap<unsigned, CellId> First;
  for (auto [Slot, Index] : C.CellOf) {
    auto [It, New] = First.try_emplace(Index, Slot);
    if (!New && Slot < It->second)
      It->second = Slot;
  }
  for (auto [Slot, Index] : C.CellOf) {
    const CellId Id = First[Index];
    S.Slots[Slot] = Id;
    AbstractValue Given = C.Cells[Index];
    Given.Untouched = !Given.Undefined;
    S.Cells[Id] = E.arena().cell(std::move(Given));
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
  }
  mayHold(Merge, A);
  mayHold(Merge, B);
  return Merge;
}

bool FunctionAnalysis::mergeInto(State &Into, const State &From,
                                 std::uint32_t Block) {
  auto Contents = [&](const State &S, CellId Id) -> const AbstractValue * {
    auto It = S.Cells.find(Id);
    return It == S.Cells.end() ? nullptr : It->second;
  };
  // Temporaries of one block die here, and with them what only they name.
  auto Keep = [&](State &To, const State &S, CellId Id) {
    for (unsigned Depth = 0; Id != NoCell && Depth != 4; ++Depth) {
      const AbstractValue *C = Contents(S, Id);
      if (!C)
        return;
      To.Cells.try_emplace(Id, C);
      if (C->Gradient != NoCell)
        if (const AbstractValue *G = Contents(S, C->Gradient))
          To.Cells.try_emplace(C->Gradient, G);
      Id = C->Whole;
    }
  };
  if (!Into.Reached) {
    Into.Reached = true;
    Into.Slots = From.Slots;
    for (std::uint32_t I = 0; I != Into.Slots.size(); ++I) {
      if (Persistent[I])
        Keep(Into, From, From.Slots[I]);
      else
        Into.Slots[I] = I;
    }
    for (CellId Id : Passed)
      Keep(Into, From, Id);
    return true;
  }
  const auto Join = [Rounds = F.IsKernel || BeginsLoop[Block]](
                        const AbstractValue &A, const AbstractValue &B) {
    return Rounds ? joinIterations(A, B) : join(A, B);
  };
  bool Changed = false;
  State Out;
  Out.Reached = true;
  Out.Slots = Into.Slots;
  auto CellIn = [&](const State &S, CellId Id) -> AbstractValue {
    if (const AbstractValue *C = Contents(S, Id))
      return *C;
    return Id < F.Slots.size() ? initialValue(F.Slots[Id]) : unknownValue();
  };
  auto SetCell = [&](CellId Id, const AbstractValue &New) {
    const AbstractValue *Old = Contents(Into, Id);
    auto [It, First] = Out.Cells.try_emplace(Id, Old);
    if (Old && *Old == New) {
      It->second = Old;
      return;
    }
    if (!First && It->second && *It->second == New)
      return;
    It->second = E.arena().cell(New);
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
  // Slots stay one storage only if they are so on every path. What this block
  // merged on an earlier visit may be the storage of an earlier round.
  std::map<std::pair<CellId, CellId>, CellId> Merges;
  const auto MergeOf = [&](std::uint32_t Slot, CellId A, CellId B) {
    const auto [It, First] = Merges.try_emplace({A, B}, A);
    const auto Made = BlockOfMerge.find(A);
    if (First &&
        (A != B || (Made != BlockOfMerge.end() && Made->second == Block)))
      It->second = mergeCell(Block, Slot, A, B);
    return It->second;
  };
  for (std::uint32_t I = 0; I != Out.Slots.size(); ++I) {
    if (!Persistent[I])
      continue;
    const CellId A = Into.Slots[I], B = From.Slots[I];
    const bool NeverRead =
        A == I && B == I && !Contents(Into, A) && !Contents(From, B);
    if (NeverRead)
      continue;
    const CellId M = MergeOf(I, A, B);
    const auto On = PartedBy([&](const Effects &By) {
      return (A != B && By.Slots.contains(I)) || By.Cells.contains(A) ||
             By.Cells.contains(B);
    });
    const std::uint32_t Kept = mergeAdded(A, B, M, Block, On);
    AbstractValue Joined =
        joinParted(CellIn(Into, A), CellIn(From, B), On, Kept, Join);
    if (M != A && Contents(Into, M))
      Joined = joinParted(*Contents(Into, M), Joined, On, Kept, Join);
    SetCell(M, Joined);
    if (M != A) {
      Out.Slots[I] = M;
      Changed = true;
    }
    for (CellId Part : {Joined.Whole, Joined.Gradient})
      if (Part != NoCell && !Out.Cells.count(Part))
        SetCell(Part, Join(CellIn(Into, Part), CellIn(From, Part)));
  }
  // The caller has a name of what it passed.
  for (CellId Id : Passed) {
    if (Out.Cells.count(Id))
      continue;
    const auto On =
        PartedBy([Id](const Effects &By) { return By.Cells.contains(Id); });
    const std::uint32_t Kept = mergeAdded(Id, Id, Id, Block, On);
    SetCell(Id, joinParted(CellIn(Into, Id), CellIn(From, Id), On, Kept, Join));
  }
  Into = std::move(Out);
  return Changed;
}

void FunctionAnalysis::observeParameters() {
  for (std::uint32_t I = 0; I != F.NumParameters; ++I)
    if (F.Slots[I].Declared)
      observe(SlotId(I), F.Slots[I].DeclaredAt);
}

/// Tells the dump the type of \p Slot at this point.
void FunctionAnalysis::observe(SlotId Slot, PlaceId At) {
  const auto *Observer = E.typeObserver();
  if (!Observer || Slot == SlotId::None)
    return;
  const AbstractValue &Value = read(Slot);
  if (!Value.Span.empty()) // a communicator, not a value
    return;
  TypedSlot Out;
  Out.In = &F;
  Out.At = At;
  Out.Slot = Slot;
  for (AxisId A = 0; A != Value.Axes.size(); ++A) {
    const AxisState &Is = Value.Axes[A];
    Out.Types.emplace_back(E.universe().name(A), Is.type());
    // No code on this mesh decides what it is on the axes of another.
    if (mesh() && !mesh()->find(E.universe().name(A)) && Is.Set.size() != 1)
      Out.Types.back().second = AxisType();
    if (Value.Spec)
      if (const std::optional<unsigned> D = Value.Spec->dimOf(A))
        Out.Types.back().second.ShardDim = static_cast<int>(*D);
  }
  if (Value.Spec)
    Out.Spec = printSpec(*Value.Spec, Sizes);
  (*Observer)(Out);
}

void FunctionAnalysis::runBlock(std::uint32_t Block, State &S) {
  Current = &S;
  CurrentBlock = Block;
  Writes[Block].clear();
  CellId FactCell = BlockFactCell[Block];
  for (const Fact &Fact : F.Blocks[Block].Facts) {
    CurrentFact = &Fact;
    CurrentFacts = &F.Blocks[Block].Facts;
    CurrentFactCell = FactCell++;
    std::visit([this](const auto &X) { transfer(X); }, Fact);
    if (Reporting)
      observe(definedBy(Fact), placeOf(Fact));
  }
  noteCondition(Block);
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
  const State Start = entryState();
  for (const auto &[Id, Contents] : Start.Cells)
    Passed.push_back(Id);
  llvm::sort(Passed);
  // What ranks that part leave different is known once all was seen.
  do
    if (!settle(Ways))
      return std::nullopt;
  while (findBranches());
  Reporting = Report;
  const std::vector<SlotId> Owned =
      Report ? ownedReplicas() : std::vector<SlotId>();
  std::vector<State> Ends(Owned.empty() ? 0 : NumBlocks); ///< of the blocks
  if (Report)
    for (std::uint32_t B = 0; B != NumBlocks; ++B)
      if (Entries[B].Reached) {
        State S = Entries[B];
        if (B == 0) {
          Current = &S;
          observeParameters();
        }
        runBlock(B, S);
        if (!Owned.empty())
          Ends[B] = std::move(S);
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
  const State Start = entryState();
  for (auto [Slot, Index] : C.CellOf) {
    const CellId Id = Start.Slots[Slot];
    InputOf[Id] = static_cast<int>(Index);
    auto It = S.Cells.find(Id);
    Out.ExitCells[Index] = It == S.Cells.end() ? C.Cells[Index] : *It->second;
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
  auto AliasOf = [&](CellId Id) {
    auto It = InputOf.find(Id);
    return It == InputOf.end() ? -1 : It->second;
  };
  const CellId Returned = S.Slots[ReturnSlot];
  Out.Returns = Returned != ReturnSlot;
  Out.ResultAlias = AliasOf(Returned);
  auto Plain = [&](CellId Id) {
    auto It = S.Cells.find(Id);
    AbstractValue V = It == S.Cells.end() ? unknownValue() : *It->second;
    static_cast<ViewPosition &>(V) = {};
    V.Gradient = NoCell;
    V.Untouched = false;
    crossOver(V);
    return V;
  };
  const auto WholeOf = [&](CellId Id) {
    for (unsigned Depth = 0; Id != NoCell && Depth != 4; ++Depth) {
      const AbstractValue *C = contents(Id);
      Id = C ? C->Whole : NoCell;
      if (const int Alias = Id == NoCell ? -1 : AliasOf(Id); Alias >= 0)
        return Alias;
    }
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
    if (!Visible || S.Slots[I] == Start.Slots[I])
      continue;
    Out.Rebindings.push_back(
        {I, AliasOf(S.Slots[I]), Plain(S.Slots[I]), WholeOf(S.Slots[I])});
  }
  return Out;
}

} // namespace spmd::rules::inference
