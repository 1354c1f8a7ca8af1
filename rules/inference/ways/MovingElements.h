//===- MovingElements.h - One element of a list after the other -*- C++ -*-===//
//
// `for (l = 0; l < n; ++l) all_reduce(layers[l].grad)`: of a list of structs
// one cell stands for all elements. What an iteration has left in it is another
// element's than the next one takes.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_MOVINGELEMENTS_H
#define SPMD_INFERENCE_WAYS_MOVINGELEMENTS_H

#include "passes/Loops.h"

namespace spmd::rules::inference {

class MovingElements {
public:
  MovingElements(const Function &F, const Loops &Cycles)
      : F(F), Cycles(Cycles) {}

  /// Whether each iteration of the loop at \p Head has another element of a
  /// list that \p Slot is, or is in.
  bool isOne(std::uint32_t Head, SlotId Slot) const;
  /// The same of something that \p X mentions.
  bool mentionsOne(std::uint32_t Head, const Fact &X) const;

  /// Whether a loop begins at \p Head that \p Block is in.
  bool isIn(std::uint32_t Head, std::uint32_t Block) const {
    return Cycles.beginsAt(Head) && !Cycles.leaves(Head, Block);
  }

private:
  bool isMadeIn(std::uint32_t Head, SlotId S) const;
  bool takesElement(std::uint32_t Head, const OpFact &O) const;
  bool isNext(std::uint32_t Head, std::uint32_t Block,
              const ViewFact &Element) const;
  bool isCounter(std::uint32_t Head, SlotId Number) const;
  bool movesWithCounter(std::uint32_t Head, SlotId Number,
                        unsigned Depth = 0) const;
  SlotId copied(SlotId S) const;
  bool isInnermost(std::uint32_t Head, std::uint32_t Block) const;

  const Function &F;
  const Loops &Cycles;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_MOVINGELEMENTS_H
