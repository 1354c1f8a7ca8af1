//===- MetInLoops.h - Loops in which ranks meet -----------------*- C++ -*-===//
//
//   for (i = rank * rows; i < (rank + 1) * rows; ++i) { …; all_reduce(g); }
//
// Ranks that meet in each iteration go round as often, or wait for ever, which
// another check tells: none of them leaves the loop sooner than others,
// whatever its bounds are made of.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_METINLOOPS_H
#define SPMD_INFERENCE_BODY_METINLOOPS_H

#include "Body.h"

namespace spmd::rules::inference {

class MetInLoops {
public:
  explicit MetInLoops(Body &In) : In(In) {}

  /// \p Decides at the end of \p Block: if that is of the condition of a loop
  /// in whose iterations all ranks meet, it does not differ there.
  void forgetMet(std::uint32_t Block, AbstractValue &Decides);

private:
  AxisMask metAround(std::uint32_t Block);
  /// The communicators that a loop's own collectives are over, and the axes of
  /// those of its callees.
  struct Loop {
    llvm::SmallVector<SlotId, 2> Over;
    AxisMask ByCallees = 0;
  };
  Loop find(std::uint32_t Head) const;
  AxisMask metIn(const Function &Callee) const;

  Body &In;
  llvm::DenseMap<std::uint32_t, Loop> Known; ///< by the first block
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_METINLOOPS_H
