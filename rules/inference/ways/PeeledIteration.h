//===- PeeledIteration.h - One iteration of a loop by itself ----*- C++ -*-===//
//
// What counts the iterations of a loop may be one number in this one and
// another in those before: `if (step % 10 == 0)`. Here one of them, whichever,
// has blocks of its own. What follows it is cut off, or is all other
// iterations, which then come after it. Or it is one after the first, which
// finds what that has left, or the first one, or the last of several, behind
// which the loop is left. A loop inside has an iteration: it begins with a test
// that holds.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_PEELEDITERATION_H
#define SPMD_INFERENCE_WAYS_PEELEDITERATION_H

#include "passes/Loops.h"

#include "spmd/ir/IR.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Changes the blocks of a function while it lives.
class PeeledIteration {
public:
  enum class Then : std::uint8_t {
    Nothing,
    Others,
    NothingAfterFirst,
    NothingAfterOnlyFirst,
    Exit
  };

  /// Of the loop that begins at the block \p Loop of \p F. Loops inside have
  /// an iteration, but for those that begin at one of the blocks \p Decided.
  PeeledIteration(Function &F, std::uint32_t Loop, Then What,
                  llvm::ArrayRef<std::uint32_t> Decided = {});
  PeeledIteration(const PeeledIteration &) = delete;
  ~PeeledIteration() { F.Blocks.swap(Before); }

  /// Those of \p Blocks that are in the loop, in the iteration.
  std::vector<std::uint32_t>
  inIteration(llvm::ArrayRef<std::uint32_t> Blocks) const;
  /// Whether \p Block is of the iteration.
  bool contains(std::uint32_t Block) const {
    return llvm::is_contained(Copy, Block) || llvm::is_contained(Entry, Block);
  }
  /// What \p Block, of the function as it is now, was.
  std::optional<std::uint32_t> originalOf(std::uint32_t Block) const {
    return Was[Block] == None ? std::optional<std::uint32_t>() : Was[Block];
  }
  /// Where the function ends, the iteration is over.
  bool comesToExit() const { return What == Then::Others; }
  /// It is what comes first, and nothing else of the loop.
  bool isFirst() const { return What == Then::NothingAfterOnlyFirst; }
  /// Of the condition of the loop.
  PlaceId place() const { return Before[Loop].Condition.At; }
  /// The same fact in the function as it was.
  const Fact *original(const Fact *Copy) const;

private:
  static constexpr std::uint32_t None = ~0u;

  std::uint32_t add(std::uint32_t Of);
  bool isAfterFirst() const {
    return What == Then::NothingAfterFirst || What == Then::Exit;
  }
  void addIteration();
  void number();
  void build();
  void enter();
  void leave();
  bool beginsLoopInside(std::uint32_t Block) const {
    return Block != Loop && Cycles.beginsAt(Block) &&
           !llvm::is_contained(Decided, Block);
  }
  BlockId inCopy(std::uint32_t From, BlockId To) const;
  void enterLoopInside(std::uint32_t Head);
  static void decideNothing(Block &B);

  Function &F;
  const Loops Cycles;
  const std::uint32_t Loop;
  const Then What;
  const std::vector<std::uint32_t> Decided;
  std::vector<Block> Before;
  std::vector<std::uint32_t> Body; ///< the blocks of the loop, in order
  /// By block of the function as it was: where it is now, and its copy.
  std::vector<std::uint32_t> Now, Copy;
  /// By block that begins a loop inside: the first time in the copy.
  std::vector<std::uint32_t> Entry;
  std::vector<std::uint32_t> Was; ///< by block now; None of new ones
  std::uint32_t Start = None, End = None;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_PEELEDITERATION_H
