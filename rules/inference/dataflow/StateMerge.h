//===- StateMerge.h - Where ways meet ---------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DATAFLOW_STATEMERGE_H
#define SPMD_INFERENCE_DATAFLOW_STATEMERGE_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// Makes one state of those that two ways bring to \p Block.
class StateMerge {
public:
  StateMerge(Body &In, State &Into, const State &From, std::uint32_t Block)
      : In(In), Into(Into), From(From), Block(Block), Out(Into) {}

  /// Whether \p Into is another state now.
  bool run();

private:
  using BranchList = llvm::SmallVector<const DivergentBranches::Branch *, 2>;

  std::set<std::uint32_t> slotsToMerge() const;
  void mergeNames();
  void mergeName(std::uint32_t Slot);
  void mergeContents();
  /// \p OneStorage: none of the ways names another.
  AbstractValue join(const AbstractValue &A, const AbstractValue &B,
                     bool OneStorage, const BranchList &On,
                     AxisMask Kept) const;
  bool writesOnEachWay(std::uint32_t At, const DivergentBranches::Branch &B,
                       CellId Id) const;
  void keepInStep(AbstractValue &Joined, CellId Id, const BranchList &On) const;
  AbstractValue ofSomeClass(AbstractValue Joined, const AbstractValue &A,
                            const AbstractValue &B, CellId Entry) const;
  void joinGradient(AbstractValue &Joined, CellId A, CellId B);
  /// The branches whose ways meet here and make a change.
  BranchList
  meeting(llvm::function_ref<bool(const WriteLog::Effects &)> Changes) const;
  /// That the ways of ranks left \p Id \p Now, where branches \p On meet.
  void noteMeeting(CellId Id, const AbstractValue &Now, const BranchList &On);
  void set(CellId Id, const AbstractValue &New);

  Body &In;
  State &Into;
  const State &From;
  const std::uint32_t Block;
  const Storage &Store = In.Store;
  State Out;
  bool Changed = false;
  llvm::SmallVector<DivergentBranches::Left, 1> Left;
  /// Slots stay one storage only if they are so on every path.
  std::map<std::pair<CellId, CellId>, CellId> Merges;
  llvm::SmallDenseSet<CellId, 4> Merged;
  llvm::SmallVector<CellId, 4> Lost;
  /// The gradient of what has one on a path only is the dual on the other.
  std::map<CellId, AbstractValue> JoinedGradients;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DATAFLOW_STATEMERGE_H
