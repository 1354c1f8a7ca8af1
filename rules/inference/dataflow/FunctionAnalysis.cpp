//===- FunctionAnalysis.cpp - One function in one context -----------------===//

#include "Dataflow.h"
#include "Summarise.h"
#include "body/Observe.h"
#include "check/Checks.h"
#include "check/Exits.h"
#include "check/SkippedParts.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// What the body begins with.
static State entryState(const Body &In) {
  State S(In.Numbers.returnSlot() + 1, In.E.arena());
  S.Reached = true;
  // Contents appear when a slot is first read; here only what the caller
  // shares: aliased slots start with one cell.
  const Context &C = In.C;
  S.ForeignGradients = C.ForeignGradients;
  llvm::DenseMap<unsigned, CellId> First;
  for (auto [Slot, Index] : C.CellOf)
    First.try_emplace(Index, Slot);
  for (unsigned I = 0; I != C.Cells.size(); ++I)
    First.try_emplace(I, In.Numbers.entry(I));
  for (auto [Slot, Index] : C.CellOf)
    S.name(Slot, First[Index]);
  for (unsigned I = 0; I != C.Cells.size(); ++I) {
    AbstractValue Given = C.Cells[I];
    Given.Untouched = !Given.Undefined;
    if (Given.Gradient != NoCell)
      Given.Gradient = First[Given.Gradient];
    if (Given.Whole != NoCell)
      Given.Whole = First[Given.Whole];
    S.put(First[I], std::move(Given));
  }
  // That nobody has put anything into what is overwritten here, the caller
  // knows.
  for (auto [Slot, Index] : C.CellOf)
    if (const AxisMask Out = In.Decls.overwrittenAlike(In.F.Slots[Slot]);
        Out && (C.Cells[Index].Undefined || C.Cells[Index].Zero)) {
      AbstractValue Given = *S.contents(First[Index]);
      Given.Unwritten |= Out;
      S.put(First[Index], std::move(Given));
    }
  return S;
}

/// Runs the facts of \p F, called with \p C, to a fixpoint, and then, if
/// \p Report, once more to say what is wrong.
static std::optional<Summary> analyseFunction(Engine &E, const Function &F,
                                              const Context &C, bool Report) {
  Body In(E, F, C);
  Transfers Facts(In);
  Dataflow Flow(In, Facts);
  In.Start = entryState(In);
  if (!Flow.settle())
    return std::nullopt;
  if (Flow.isOffWay()) {
    Summary Out = summarise(In, In.Start);
    Out.IsOffWay = true;
    return Out;
  }

  In.Point.Reporting = Report;
  std::optional<Checks> Listening;
  if (Report)
    Listening.emplace(In);
  ReplicasAtScopeExit Objects(In);
  const std::vector<SlotId> Owned =
      Report ? Objects.find() : std::vector<SlotId>();
  std::vector<State> Ends;   ///< of the blocks
  std::optional<State> Last; ///< where the function ends, if nobody returns
  unsigned NumReturns = 0;
  bool EndsWithBranch = false; ///< which is no return
  for (std::uint32_t B = 0; Report && B != F.Blocks.size(); ++B) {
    State S = In.Entries[B];
    if (S.Reached) {
      In.Point.Now = &S;
      In.Point.OnSomeRanks = In.Branches.splitAt(B);
      if (B == 0)
        observeParameters(In);
      Flow.runBlock(B, S);
      if (llvm::is_contained(F.Blocks[B].Successors,
                             BlockId(F.Blocks.size() - 1))) {
        Last = S;
        ++NumReturns;
        EndsWithBranch |= F.Blocks[B].Successors.size() > 1;
      }
    }
    if (!Owned.empty())
      Ends.push_back(std::move(S));
  }
  if (Listening)
    Listening->finish();

  State &Exit = In.Entries.back();
  if (!Exit.Reached) // every path loops for ever or is cut off
    Exit = In.Entries.front();
  Exits AtExit(In, Facts.contracts(), Objects, Owned);
  if (NumReturns > 1 && !EndsWithBranch)
    AtExit.checkLast(*Last);
  AtExit.run(Exit);
  checkSkippedParts(In);
  for (SlotId Slot : Owned)
    AtExit.checkOwned(Slot, Ends, Exit);
  observeSignature(In, Exit);
  if (F.IsConstructor)
    Objects.believeFields(Exit);
  return summarise(In, Exit);
}

InferenceResult inferAgain(const Module &M, const InferenceOptions &Options,
                           const SharedMemory &Shared) {
  return Engine(M, Options, nullptr, analyseFunction, &Shared).run();
}

} // namespace spmd::rules::inference

spmd::rules::InferenceResult
spmd::rules::inferModule(const Module &M, const InferenceOptions &Options,
                         llvm::function_ref<void(const TypedSlot &)> OnType) {
  return inference::Engine(M, Options, OnType, inference::analyseFunction)
      .run();
}
