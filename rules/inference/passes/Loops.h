//===- Loops.h - The loops of a function's blocks ---------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_LOOPS_H
#define SPMD_INFERENCE_PASSES_LOOPS_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::rules::inference {

/// Blocks are numbered in reverse post-order: an edge to one that is not after
/// its source goes back.
inline bool isBackEdge(std::uint32_t From, std::uint32_t To) {
  return To <= From;
}

/// The loops among the blocks for which \p Reached holds.
class Loops {
public:
  Loops(const Function &F, llvm::function_ref<bool(std::uint32_t)> Reached);

  llvm::ArrayRef<std::uint32_t> predecessors(std::uint32_t Block) const {
    return Predecessors[Block];
  }
  bool beginsAt(std::uint32_t Block) const { return Bodies.count(Block); }
  /// Whether one who goes from \p From, which begins a loop, to \p To has left
  /// it.
  bool leaves(std::uint32_t From, std::uint32_t To) const {
    const auto Body = Bodies.find(From);
    return Body != Bodies.end() && !Body->second.contains(To);
  }

  /// The blocks of loops of \p F from which one may leave them.
  llvm::DenseSet<std::uint32_t> exits(const Function &F) const;

  /// The first blocks of all loops that have one for which \p Is holds.
  llvm::DenseSet<std::uint32_t>
  withBlock(llvm::function_ref<bool(std::uint32_t)> Is) const;

  /// The blocks of the condition of the loop that begins at \p Begin, that one
  /// first: of `a && b`, each may leave it.
  llvm::ArrayRef<std::uint32_t> conditionOf(std::uint32_t Begin) const {
    const auto Of = Conditions.find(Begin);
    return Of == Conditions.end() ? llvm::ArrayRef<std::uint32_t>()
                                  : llvm::ArrayRef(Of->second);
  }
  /// The loop of whose condition \p Block is a part; \p Block if of none.
  std::uint32_t loopOfCondition(std::uint32_t Block) const {
    const auto Of = LoopOf.find(Block);
    return Of == LoopOf.end() ? Block : Of->second;
  }

private:
  void findCondition(const Function &F, std::uint32_t Head);

  std::vector<llvm::SmallVector<std::uint32_t, 2>> Predecessors;
  llvm::DenseMap<std::uint32_t, llvm::DenseSet<std::uint32_t>> Bodies;
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<std::uint32_t, 2>> Conditions;
  llvm::DenseMap<std::uint32_t, std::uint32_t> LoopOf; ///< of a condition
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_LOOPS_H
