//===- FunctionAnalysis.h - Dataflow over one function ----------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_INFERENCE_FUNCTIONANALYSIS_H
#define SPMD_RULES_LIB_INFERENCE_FUNCTIONANALYSIS_H

#include "Engine.h"
#include "Redundant.h"
#include "SumTerms.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <map>
#include <set>

namespace spmd::rules::inference {

/// The names of sizes in a callee's contract.
class SizeNames {
public:
  /// \p Declared with the names as far as they are bound; \p Given binds those
  /// that are not.
  std::shared_ptr<const PartitionSpec>
  instantiate(const std::shared_ptr<const PartitionSpec> &Declared,
              const PartitionSpec *Given);

private:
  llvm::StringMap<Extent> Bound;
};

class Loops;

/// By op, slots of the axes that its result is wrapped in out_partial for.
using OutPartials = llvm::DenseMap<const Fact *, llvm::SmallVector<SlotId, 2>>;

/// Whether \p Out, what \p O makes of \p Cells, tells ranks apart.
void countRanks(const OpFact &O, llvm::ArrayRef<const AbstractValue *> Cells,
                AbstractValue &Out);

/// \p V goes into another function or comes out of one.
void crossOver(AbstractValue &V);

/// Runs the facts of one function in one context: to a fixpoint, then once
/// more to report. One `transfer` per kind of fact.
class FunctionAnalysis {
public:
  FunctionAnalysis(Engine &E, const Function &F, const Context &C);

  /// Null when a cap was hit; the function then says nothing.
  std::optional<Summary> run(bool Report);

  /// What a block leaves in a storage that it writes, on one axis: what surely
  /// differs between ranks, or nothing that is known to.
  using BlockWrites =
      std::map<std::pair<CellId, AxisId>, std::optional<AxisState>>;

private:
  //===--- Fixpoint (FunctionAnalysis.cpp) --------------------------------===//
  void computePersistentSlots();
  void forgetTemporaries(CellId UpTo);
  void computeNames();
  void computeNumbers();
  State entryState() const;
  bool settle(const Loops &Ways);
  std::optional<Limit> limitReached(unsigned VisitsOfBlock) const;
  AbstractValue valueIn(const State &S, CellId Id);
  std::set<std::uint32_t> slotsToMerge(const State &Into, const State &From,
                                       std::uint32_t Block) const;
  bool mergeInto(State &Into, const State &From, std::uint32_t Block);
  CellId mergeCell(std::uint32_t Block, std::uint32_t Slot, CellId A, CellId B);
  void runBlock(std::uint32_t Block, State &S);
  Summary summarise(const State &Exit);
  void checkExits(State &S);
  void checkOutput(const Slot &S, SlotId Parameter);
  void checkRounds();
  void checkReplicas();
  void checkReplica(const Slot &S, const AbstractValue &Now);

  //===--- Values without a gradient (LookedAt.cpp) -----------------------===//
  void computeGradients();
  bool givesGradient(const OpFact &O) const;
  RuleResult apply(const OpFact &O, llvm::ArrayRef<TypeSet> Operands) const;
  TypeSet mayOf(const OpFact &O, AxisId A,
                llvm::ArrayRef<const AbstractValue *> Cells,
                TypeSet Output) const; // Ops.cpp

  //===--- Objects that end here (OwnedReplicas.cpp) ----------------------===//
  void believeFields(State &Exit);
  bool isOwned(SlotId Field) const;
  bool isMadeHere(SlotId Field) const;
  std::vector<SlotId> ownedReplicas() const;
  bool isOutside(SlotId Slot) const;
  bool outlives(SlotId Slot, CellId Id, const State &Exit);
  bool neverReturns(std::uint32_t Block) const;
  bool isQuiet(std::uint32_t Block, CellId Id) const;
  std::vector<bool> quietToTheEnd(CellId Id) const;
  void checkOwned(SlotId Slot, llvm::ArrayRef<State> Ends, const State &Exit);
  void observeParameters();
  void observe(SlotId Slot, PlaceId At);
  void noteKnown(SlotId Slot, PlaceId At);
  void noteGiven(PlaceId At, const AbstractValue &Value,
                 llvm::ArrayRef<AxisId> Span);

  //===--- Loops that have a round (Rounds.cpp) ---------------------------===//
  void noteWrite(CellId Id, const AbstractValue &Now, std::uint32_t On = ~0u);
  void noteChange(CellId Id);
  void noteDiverged(CellId Id, AxisId A, const AxisState &As);
  const AxisState *divergedAtExit(CellId Id, AxisId A) const;

  //===--- Branches that ranks take differently (Partings.cpp) ------------===//
  /// What a block changes: slots that name other storage, storage written.
  struct Effects {
    std::set<std::uint32_t> Slots; ///< those that other blocks see
    std::set<CellId> Cells;
  };
  /// The axes on which the condition of a branch differs between ranks, or,
  /// under Strict, may do so.
  struct Branch {
    std::uint32_t Differs = 0, MayDiffer = 0;
    /// Those on which one rank alone goes on to the first, or second, way.
    std::array<std::uint32_t, 2> OnOne = {0, 0};
    PlaceId At = PlaceId::None;
    Parting Parts;
  };
  /// What the ranks that took the ways of a branch do not have alike.
  struct Left {
    const Branch *Of;
    Effects By;
  };
  void noteCondition(std::uint32_t Block);
  bool findBranches();
  void noteWritten(CellId Id) {
    Done[CurrentBlock].Cells.insert(Id);
    if (!OnOneRank.empty())
      Rewritten[CurrentBlock][Id] |= ~AddsInPlace;
  }
  std::size_t effects() const;
  bool isMadeIn(const llvm::BitVector &Blocks, const State &S, CellId Id) const;
  bool leavesRounds(std::uint32_t From, std::uint32_t To) const;
  bool goOn(const State &S, std::uint32_t From, std::uint32_t To);
  llvm::SmallVector<Left, 1> leftAt(std::uint32_t Block) const;
  AbstractValue parted(AbstractValue C, const Branch &On,
                       std::uint32_t Kept = 0);
  AbstractValue
  joinParted(const AbstractValue &A, const AbstractValue &B,
             llvm::ArrayRef<const Branch *> On, std::uint32_t Kept,
             llvm::function_ref<AbstractValue(const AbstractValue &,
                                              const AbstractValue &)>
                 Join);
  bool readsModifiedDivergently(const Operand &Value, AxisId A, bool Gradient,
                                PlaceId At, llvm::StringRef Op);

  //===--- What one rank adds to a sum (AddedOnce.cpp) --------------------===//
  /// A slot, or the element of it at what another one holds.
  using Named = std::pair<SlotId, SlotId>;
  /// A value that these slots had where ranks parted, to which one rank may
  /// have added something since.
  struct Added {
    std::uint32_t Branch = 0;
    std::set<std::uint32_t> To;
    std::optional<Named> From; ///< where it was read, if a copy
  };
  void findOneRank();
  std::optional<std::size_t> addsOnceTo(const OpFact &O, AxisId A,
                                        llvm::ArrayRef<TypeSet> Sets);
  void noteAdded(SlotId To, AxisId A);
  std::optional<Named> nameOfElement(SlotId Slot) const;
  std::uint32_t copiesAdded(const OpFact &O);
  std::set<std::uint32_t> addedTo(CellId Id, AxisId A, std::uint32_t Branch);
  bool isKept(const std::array<std::uint32_t, 3> &What, bool Now);
  std::uint32_t mergeAdded(CellId A, CellId B, CellId Merge,
                           std::uint32_t Block,
                           llvm::ArrayRef<const Branch *> On);

  //===--- What is added to the terms of a sum (SumTerms.cpp) -------------===//
  OperandList addedToTerms(const OpFact &O, AxisId A,
                           llvm::ArrayRef<TypeSet> Sets, bool IsTerm,
                           const TransferFact *&By);
  AxisList spanOf(SlotId Axis);

  //===--- Facts ----------------------------------------------------------===//
  void transfer(const DefineFact &F);
  void transfer(const BindFact &F);
  void transfer(const ViewFact &F);
  void transfer(const OpFact &F);
  void transfer(const TransferFact &F); // Transfers.cpp
  void transfer(const AssertFact &F);   // Contracts.cpp
  void transfer(const CallFact &F);     // Calls.cpp
  void transfer(const GradientFact &F);
  void transfer(const BackwardFact &F);
  void transfer(const HavocFact &F);
  void transfer(const ReturnFact &F);

  //===--- State access (Storage.cpp) -------------------------------------===//
  CellId cellOf(SlotId Slot);
  const AbstractValue &read(SlotId Slot);
  /// Null for what was never read nor written.
  const AbstractValue *contents(CellId Id) const {
    return Current->contents(Id);
  }
  /// What was there before stays readable until the fact that is run is done.
  void put(CellId Id, AbstractValue C) {
    Before.push_back(Current->share(Id));
    Current->put(Id, std::move(C));
  }
  /// \p Slot names other storage from now on; so do the other names of the
  /// object whose field it is.
  void bind(SlotId Slot, CellId Id);
  /// Only this name does: it was of another object, or of none, before.
  void repoint(SlotId Slot, CellId Id) {
    Unnamed.push_back(Current->cellOf(index(Slot)));
    Current->name(index(Slot), Id);
    if (Persistent[index(Slot)])
      Done[CurrentBlock].Slots.insert(index(Slot));
  }
  void forget(SlotId Slot);
  /// New storage for the fact being run, bound to \p Slot.
  void define(SlotId Slot, AbstractValue C);
  /// New contents of the storage of \p Slot; parts change their whole.
  void write(SlotId Slot, const AbstractValue &C, bool Partial);
  llvm::SmallVector<CellId, 4> mayBe(CellId Id) const;
  void writeCell(CellId Id, const AbstractValue &C, bool Partial,
                 CellId From = NoCell);
  void bindFields(SlotId Dst, SlotId Src, bool Refers = false);
  /// Another name in this function of the object that \p Slot names, in the
  /// cell \p Id. None if there is none.
  SlotId nameOf(CellId Id, SlotId Slot) const;
  void narrow(SlotId Slot, AxisId A, TypeSet Set, const Origin *Why);

  AbstractValue unknownValue() const;
  AbstractValue constantValue(TypeSet Set, PlaceId At, llvm::StringRef Text);
  AbstractValue declaredValue(const TypeSpec &T, PlaceId At,
                              llvm::StringRef Subject,
                              const MeshSpec *Of = nullptr);
  AbstractValue initialValue(const Slot &S);
  const Origin *origin(Origin::Kind K, PlaceId At, llvm::StringRef Text);

  //===--- Gradients (Gradients.cpp) --------------------------------------===//
  /// Null where nobody asked for it since the last backward pass.
  static const AbstractValue *gradientOf(const State &S, CellId Primal);
  llvm::SmallVector<CellId, 4> mayShareTensors(CellId Primal) const;
  void loseGradients(SlotId Slot);
  void noteReduced(AxisMask On);
  void noteReduction(const TransferFact &T, const AbstractValue &Value,
                     llvm::ArrayRef<AxisId> Span);
  void forgetGradients();
  std::optional<AbstractValue> joinGradients(const AbstractValue &A,
                                             const AbstractValue *OfA,
                                             const AbstractValue &B,
                                             const AbstractValue *OfB);
  void summariseGradients(llvm::ArrayRef<CellId> Passed, Summary &Out);
  void takeGradients(const Summary &S, llvm::ArrayRef<CellId> Passed,
                     llvm::function_ref<AbstractValue(AbstractValue)> Here);

  //===--- Parts, views and lists (Views.cpp) -----------------------------===//
  llvm::SmallSetVector<CellId, 4> wholesOf(CellId Id) const;
  bool spreadsTo(CellId Id, const AbstractValue &Value, bool Partial);
  void writeWhole(CellId Id, const AbstractValue &Part, bool Partial);
  void writeViews(CellId Whole, const AbstractValue &Old,
                  const AbstractValue &New, CellId Except);
  void viewOperand(const OpFact &O, AbstractValue &Result);
  bool slicesPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets,
                     std::size_t I) const;
  bool readsPartialAtVaryingOffset(const Operand &Value, AxisId A, PlaceId At,
                                   llvm::StringRef Op);
  void joinList(CellId List, CellId Member);
  llvm::SmallVector<CellId, 4> heldBy(CellId Id) const;
  void mayHold(CellId List, CellId Member);

  //===--- Axes (Contracts.cpp) -------------------------------------------===//
  const MeshSpec *mesh() const;
  const MeshSpec *meshOf(const Function &Of) const;
  std::optional<AxisId> findAxis(llvm::StringRef Name) const;
  AxisList axesOf(llvm::ArrayRef<std::string> Names,
                  const MeshSpec *Of = nullptr) const;
  /// What \p T, which is about the mesh \p Of or that of the function, requires
  /// on each axis: the full set where it says nothing.
  std::vector<AxisState> requirements(const TypeSpec &T,
                                      const MeshSpec *Of = nullptr) const;
  bool isAxisFormal(const Slot &S) const;

  //===--- Contracts (Contracts.cpp) --------------------------------------===//
  /// What code of another mesh says, on the axes of that.
  struct Foreign {
    const MeshMap &Map;
    std::vector<AxisState> Types;
    std::shared_ptr<const PartitionSpec> Spec;
    std::string NoSpec; ///< why Spec has no equal form here
  };
  struct Requirement {
    Annotated On;
    llvm::StringRef Subject;
    PlaceId DeclaredAt;
    const Function *DeclaredIn;
    std::shared_ptr<const PartitionSpec> Spec = nullptr;
    const Foreign *There = nullptr;
  };
  /// Narrows \p Value to \p T, or reports what contradicts it and trusts T.
  void require(Operand Value, llvm::ArrayRef<AxisState> Required,
               const Requirement &Why, PlaceId At);
  /// The same of \p Required that code of another mesh says, if \p Map is
  /// given.
  void requireHere(Operand Value, std::vector<AxisState> Required,
                   Requirement Why, const MeshMap *Map, PlaceId At);
  Violation contract(const Requirement &Why, PlaceId At, AxisId A) const;
  void reportNoForm(Operand Value, const AbstractValue &Before,
                    const Requirement &Why, PlaceId At);
  /// \p Slot has the type \p Declared on one axis from now on.
  void trust(SlotId Slot, AxisId A, const AxisState &Declared,
             const Requirement &Why);

  //===--- Partition specs (Global.cpp, GlobalTransfers.cpp) --------------===//
  AxisList globalAxes(const Function &Of, const AxisList &OfCaller) const;
  std::shared_ptr<const PartitionSpec>
  specInside(const std::shared_ptr<const PartitionSpec> &Spec,
             const AxisList &Inside) const;
  AxisTable axisTable() const;
  bool isSingleton(AxisId A) const;
  bool isAllGlobal() const;
  DimAxes looseAxes(const AbstractValue &Value) const;
  std::shared_ptr<const PartitionSpec>
  declaredSpec(const TypeSpec &T, const MeshSpec *Of = nullptr) const;
  void requireSpec(Operand Value, llvm::ArrayRef<AxisState> Required,
                   const Requirement &Why, PlaceId At);
  AxisId axisOfClash(const PartitionSpec &Has, const PartitionSpec &Wanted,
                     const SpecClash &Clash) const;
  Origin originOf(const AbstractValue &Value) const;
  AxisList outPartialOfFact();
  Extent sizeOf(const SizeTerm &T);
  std::shared_ptr<const PartitionSpec>
  specOfResult(const OpFact &O, bool AlreadyWrong, AbstractValue &Result);
  void varyAsSharded(const OpFact &O, AbstractValue &Out);
  std::shared_ptr<const PartitionSpec> specAfter(const TransferFact &T,
                                                 const AbstractValue &Src,
                                                 llvm::ArrayRef<AxisId> Span,
                                                 bool AlreadyWrong);
  void redistribute(const TransferFact &T);
  std::shared_ptr<const PartitionSpec>
  localTransfer(const TransferFact &T, const PartitionSpec &Src,
                llvm::ArrayRef<AxisId> Span);
  std::shared_ptr<SpecFinding> specFinding() const;
  static ValueLayout layoutOf(const PartitionSpec *Spec,
                              llvm::ArrayRef<AxisState> Types);
  void writeSpec(const OpFact &O, AbstractValue &Out);
  void reportSpec(const OpFact &O, SpecViolation Found,
                  llvm::ArrayRef<const PartitionSpec *> Specs);
  void reportUndecided(const OpFact &O, const Undecided &On,
                       llvm::ArrayRef<const PartitionSpec *> Specs);
  void reportSpecTransfer(const TransferFact &T, const AbstractValue &Src,
                          llvm::ArrayRef<AxisId> Span, SpecFinding::Comm Why,
                          std::optional<unsigned> Dim);

  //===--- Calls (Calls.cpp) ----------------------------------------------===//
  void forgetSpec(CellId Id);
  class Callee;
  void requireArgument(Operand Given, const Slot &P, const Function &Target,
                       Callee &Of, PlaceId At);
  SlotId callerSlot(const Function &Target, const CallFact &F,
                    std::uint32_t CalleeSlot) const;
  void refer(SlotId Slot, CellId Id, SlotId Referred);
  void callBody(const Function &Target, const CallFact &F,
                AbstractValue &Result, CellId &ResultAlias);

  //===--- Reports (Reports.cpp) ------------------------------------------===//
  Violation violation(ViolationKind K, PlaceId At, AxisId A,
                      llvm::StringRef Op) const;
  ViolationOperand operandOf(const Operand &O, AxisId A);
  ViolationOperand operandOf(const Operand &O, const AxisState &T) const;
  llvm::BitVector givenPending(AxisId A) const;
  void reportOp(const OpFact &F, AxisId A, const RuleResult &R,
                llvm::ArrayRef<TypeSet> Sets);
  void reportAddedToTerms(const OpFact &O, AxisId A,
                          llvm::ArrayRef<TypeSet> Sets,
                          const OperandList &Replicas, const TransferFact *By);
  void reportStrict(const OpFact &F, AxisId A, llvm::ArrayRef<TypeSet> Case,
                    const RuleResult &R,
                    llvm::ArrayRef<const AbstractValue *> Cells);
  bool mayBeBarrier(const TransferFact &T, const AxisState &Was);
  void reportTransfer(const TransferFact &F, ViolationKind K, AxisId A,
                      const AxisState &Was, TypeSet Required);
  void reportRedundant();

  Engine &E;
  const Function &F;
  const Context &C;
  std::uint32_t ReturnSlot = 0; ///< a pseudo slot after the function's own
  AxisList Global; ///< the axes on which the body is checked globally
  AxisTable Sizes; ///< of all axes
  State *Current = nullptr;
  const std::vector<Fact> *CurrentFacts = nullptr; ///< of the block
  const Fact *CurrentFact = nullptr;
  llvm::DenseMap<const std::vector<Fact> *, OutPartials> Wrapped; ///< by block
  /// By op: the collectives that add up what it makes.
  llvm::DenseMap<const OpFact *, llvm::SmallVector<const TransferFact *, 1>>
      Summers;
  CellId CurrentFactCell = NoCell;
  bool Reporting = false;

  std::vector<bool> Persistent;    ///< by slot: alive across blocks
  std::vector<bool> BeginsLoop;    ///< by block, the exit last
  std::vector<bool> IsNumber;      ///< by slot: see AbstractValue::Number
  std::vector<bool> HasGradient;   ///< by slot: a gradient may flow back to it
  std::vector<State> Entries;      ///< by block, the exit last
  std::vector<BlockWrites> Writes; ///< by block
  std::vector<Effects> Done;       ///< by block, on all visits
  /// By block: the branches that ranks take differently.
  std::map<std::uint32_t, Branch> Branches;
  /// As last seen: the axes on which a condition differs, or may, and those on
  /// which it is true, or false, on one rank alone.
  struct Condition {
    std::uint32_t Differs = 0, MayDiffer = 0, TrueOnOne = 0, FalseOnOne = 0;
  };
  std::map<std::uint32_t, Condition> Conditions; ///< by block
  /// Those of which something was said that is not sure any more.
  std::map<std::uint32_t, Condition> Doubted;
  /// By block and axis: the branch that lets one rank alone run it.
  std::map<std::pair<std::uint32_t, AxisId>, std::uint32_t> OnOneRank;
  /// By branch of OnOneRank: what slots named there.
  std::map<std::uint32_t, State> NamedAt;
  /// By block: the axes on which a write did more than add on one rank.
  std::vector<llvm::DenseMap<CellId, std::uint32_t>> Rewritten;
  std::map<std::pair<CellId, AxisId>, Added> AddedOnce;
  /// Blocks, what they merge, and axes: where ranks that parted bring the same
  /// sum, as far as was seen; where they do not; whether that came to light.
  std::set<std::array<std::uint32_t, 3>> Sums, NoSum;
  bool FoundNoSum = false;
  /// The axes on which the op that is being run adds on one rank, in place.
  std::uint32_t AddsInPlace = 0;
  std::size_t EffectsSeen = 0;
  std::optional<ControlFlow> Flow;
  std::uint32_t CurrentBlock = 0;
  State Start; ///< at the entry
  std::size_t FactsRun = 0, ValuesBefore = 0;
  /// By the fact's cell: the temporaries that are not mentioned again.
  std::vector<std::pair<CellId, SlotId>> LastMentions;
  std::size_t NextMention = 0;           ///< of those, in the block that is run
  llvm::SmallVector<CellId, 4> Unnamed;  ///< by the fact that is run
  llvm::SmallVector<ValueRef, 4> Before; ///< what it replaced
  CellId FirstFactCell = 0;
  /// By the cell of a call and the index of a tensor that is passed to it.
  std::map<std::pair<CellId, unsigned>, CellId> GradientCells;
  bool RunsBackward = false;
  AxisMask ReducedGradients = 0; ///< the axes over which some are summed
  /// What the caller passes without a slot that names it.
  CellId entryCell(unsigned Index) const { return ReturnSlot + 1 + Index; }
  std::vector<CellId> BlockFactCell; ///< cell of each block's first fact
  CellId NextMergeCell = 0;
  /// By block and the first of the slots that name it there: the cell for "one
  /// of several".
  std::map<std::pair<std::uint32_t, std::uint32_t>, CellId> MergeCells;
  llvm::DenseMap<CellId, std::uint32_t> BlockOfMerge;
  llvm::DenseSet<std::uint32_t> Merging; ///< blocks that made such a cell
  /// What a merge was made of, merges among it; and the other way round.
  llvm::DenseMap<CellId, llvm::SmallVector<CellId, 4>> MergedFrom, MergedInto;
  /// What the write that is run has given to which cells so far.
  std::map<std::pair<CellId, bool>, llvm::SmallVector<AbstractValue, 1>> Spread;
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<SlotId, 4>> FieldsOf;
  /// By class of objects: the slots that may name one, if there are several.
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<SlotId, 4>> NamesOf;
  PlaceId LastReturn = PlaceId::None;
  SoundMap Sound;                                    ///< noted while reporting
  std::set<std::pair<CellId, AxisId>> PartialReads;  ///< of which it was said
  std::set<std::pair<CellId, AxisId>> ModifiedReads; ///< the same
  llvm::DenseSet<AxisId> Told;    ///< of a pending sum that the caller passed
  llvm::DenseSet<CellId> Excused; ///< of which a contradiction was reported
};

} // namespace spmd::rules::inference

#endif // SPMD_RULES_LIB_INFERENCE_FUNCTIONANALYSIS_H
