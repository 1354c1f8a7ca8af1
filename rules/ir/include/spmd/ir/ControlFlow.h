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

namespace spmd::rules {

/// What follows when a branch goes one way on some ranks and another on others.
struct Parting {
  /// Blocks that only some ranks may run at a time: those before all ways meet.
  llvm::BitVector Between;
  /// Where two ways meet, and the blocks on ways from the branch to there.
  struct Meeting {
    std::uint32_t At;
    llvm::BitVector Before;
  };
  llvm::SmallVector<Meeting, 2> Meetings;
  /// The rounds that come back to the branch: some ranks make more of them.
  llvm::BitVector Rounds;
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
  std::uint32_t meetingOf(std::uint32_t Block) const { return Meets[Block]; }
  Parting partingAt(std::uint32_t Block) const;
  /// The blocks that nothing comes to but from \p Block to its successor number
  /// \p Way. None if one of its two ways never returns.
  llvm::BitVector onlyThrough(std::uint32_t Block, unsigned Way) const;
  /// By block: its number in an order in which blocks come after all that lead
  /// to them, but for loops.
  static std::vector<std::uint32_t> numberInOrder(const Function &F);

private:
  void findReturning(const Function &F);
  void findMeetings();
  llvm::BitVector reach(llvm::ArrayRef<std::uint32_t> From, bool Backwards,
                        const llvm::BitVector &Within) const;

  std::uint32_t Exit;
  std::vector<llvm::SmallVector<std::uint32_t, 2>> Next, Previous;
  std::vector<std::uint32_t> Order; ///< blocks before what they lead to
  std::vector<std::uint32_t> Meets;
};

} // namespace spmd::rules

#endif // SPMD_IR_CONTROLFLOW_H
