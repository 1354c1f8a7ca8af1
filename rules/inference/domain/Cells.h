//===- Cells.h - The numbers of abstract storage ----------------*- C++ -*-===//
//
// In this order: a cell for each slot, for what is returned, for what the
// caller passes without a slot that names it, for each fact, and for what ways
// bring together.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_CELLS_H
#define SPMD_INFERENCE_DOMAIN_CELLS_H

#include "Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace spmd::rules::inference {

class CellNumbers {
public:
  CellNumbers(const Function &F, unsigned NumPassed);

  /// A pseudo slot after the function's own; cells up to it are of slots.
  std::uint32_t returnSlot() const { return ReturnSlot; }
  CellId entry(unsigned Index) const { return ReturnSlot + 1 + Index; }
  /// That of the first fact of \p Block; those of the others follow.
  CellId firstFact(std::uint32_t Block) const { return FirstOfBlock[Block]; }
  /// The number of a fact among all of the function, from its cell.
  std::uint32_t factOf(CellId Id) const { return Id - FirstFact; }
  /// The block whose fact \p Id is of.
  std::optional<std::uint32_t> blockOfFact(CellId Id) const;

  /// One cell for each slot and block, so that the merges of nested loops come
  /// to an end.
  CellId mergeAt(std::uint32_t Block, std::uint32_t Slot);
  std::optional<std::uint32_t> blockOfMerge(CellId Id) const;
  bool mergesAt(std::uint32_t Block) const { return Merging.contains(Block); }
  /// The gradient that the call \p Call leaves for the \p Of-th of the tensors
  /// that are passed to it.
  CellId gradientAt(CellId Call, unsigned Of);

private:
  const std::uint32_t ReturnSlot;
  const CellId FirstFact;
  std::vector<CellId> FirstOfBlock;
  CellId AfterFacts, Next;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CellId> Merges;
  llvm::DenseMap<CellId, std::uint32_t> BlockOfMerge;
  llvm::DenseSet<std::uint32_t> Merging; ///< blocks that made such a cell
  std::map<std::pair<CellId, unsigned>, CellId> Gradients;
};

/// Which cells may be one storage. A merge is one of what it was made of, a
/// list each of what it was given.
class MayAlias {
public:
  /// \p List may be the storage \p Member.
  void mayHold(CellId List, CellId Member);
  /// What the merge or list \p Id may be, and itself.
  llvm::SmallVector<CellId, 4> heldBy(CellId Id) const;
  /// The cells that may be the storage \p Id, or not.
  llvm::SmallVector<CellId, 4> mayBe(CellId Id) const;

private:
  using Edges = llvm::DenseMap<CellId, llvm::SmallVector<CellId, 4>>;
  static llvm::SmallVector<CellId, 4> reach(const Edges &Along,
                                            llvm::SmallVector<CellId, 4> From);

  Edges MergedFrom, MergedInto;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_CELLS_H
