//===- ControlFlow.h - Where ways part and meet again -----------*- C++ -*-===//
//
// The blocks of a function and its exit, which has the number after the last
// block. Ways that never return, into a throw or an endless loop, do not count:
// nothing meets them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_CONTROLFLOW_H
#define SPMD_IR_CONTROLFLOW_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules {

/// Some blocks of a function, in order: mostly few of many.
class BlockSet {
public:
  BlockSet() = default;
  explicit BlockSet(std::vector<std::uint32_t> Of) : Blocks(std::move(Of)) {
    llvm::sort(Blocks);
  }
  bool test(std::uint32_t Block) const {
    return llvm::binary_search(Blocks, Block);
  }
  bool empty() const { return Blocks.empty(); }
  auto begin() const { return Blocks.begin(); }
  auto end() const { return Blocks.end(); }

private:
  std::vector<std::uint32_t> Blocks;
};

/// What follows when a branch goes one way on some ranks and another on others.
struct DivergentRegion {
  /// Blocks that only some ranks may run at a time: those before all ways meet.
  BlockSet Between;
  /// Where two ways meet, and the blocks on ways from the branch to there.
  struct Reconvergence {
    std::uint32_t At;
    BlockSet Before;
  };
  llvm::SmallVector<Reconvergence, 2> Reconvergences;
  /// The blocks of iterations that come back to the branch: some ranks make
  /// more.
  BlockSet Iterations;
};

/// The blocks that \p From leads to, itself among them, on ways that avoid
/// \p Avoided; none if it is that. Those that never return are such ways too.
llvm::BitVector reachedFrom(const Function &F, std::uint32_t From,
                            std::uint32_t Avoided = ~0u);
/// Whether \p Block may run again after \p From, in which it may be.
bool comesTo(const Function &F, std::uint32_t From, std::uint32_t Block);

class ControlFlow {
public:
  explicit ControlFlow(const Function &F);

  std::uint32_t exit() const { return Exit; }
  /// Where \p Block goes on to, on ways that return.
  llvm::ArrayRef<std::uint32_t> next(std::uint32_t Block) const {
    return Next[Block];
  }
  /// The first block that all ways from \p Block come through.
  std::uint32_t reconvergenceOf(std::uint32_t Block) const {
    return Meets[Block];
  }
  DivergentRegion divergenceAt(std::uint32_t Block) const;
  /// The blocks that nothing comes to but from \p Block to its successor number
  /// \p Way. None if one of its two ways never returns.
  llvm::BitVector onlyThrough(std::uint32_t Block, unsigned Way) const;
  /// By block: its number in an order in which blocks come after all that lead
  /// to them, but for loops.
  static std::vector<std::uint32_t> numberInOrder(const Function &F);

private:
  void findReturning(const Function &F);
  void findReconvergences();
  BlockSet reach(llvm::ArrayRef<std::uint32_t> From, bool Backwards,
                 llvm::function_ref<bool(std::uint32_t)> Within) const;

  std::uint32_t Exit;
  std::vector<llvm::SmallVector<std::uint32_t, 2>> Next, Previous;
  std::vector<std::uint32_t> Order;    ///< blocks before what they lead to
  std::vector<std::uint32_t> Position; ///< by block: in that order
  std::vector<std::uint32_t> Meets;
};

} // namespace spmd::rules

#endif // SPMD_IR_CONTROLFLOW_H
