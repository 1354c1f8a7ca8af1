//===- VisitedLists.h - One struct of a list after the other ----*- C++ -*-===//
//
// `for (l = 0; l < n; ++l) all_reduce(layers[l].grad)`: of a list of structs
// one cell stands for all elements. An iteration finds in it what the list was
// before the loop, not what others have made of their elements; behind the loop
// the list is what they all left.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_PASSES_VISITEDLISTS_H
#define SPMD_INFERENCE_PASSES_VISITEDLISTS_H

#include "ListMembers.h"
#include "Loops.h"

namespace spmd::rules::inference {

struct ObjectNames;

class VisitedLists {
public:
  VisitedLists(const Function &F, const Loops &Cycles,
               const ObjectNames &Objects, const ListMembers &InLists);

  struct List {
    SlotId Of = SlotId::None;
    bool Wholly = false; ///< no element is left out
  };
  /// The lists of which each iteration of the loop at \p Head has an element of
  /// its own, and nothing else of them.
  llvm::ArrayRef<List> in(std::uint32_t Head) const {
    const auto It = Of.find(Head);
    return It == Of.end() ? llvm::ArrayRef<List>() : It->second;
  }

  /// Whether the collective at \p At is of the element of an iteration, and the
  /// loop comes to all below its bound.
  bool collectsEach(PlaceId At) const {
    return At != PlaceId::None && LoopOfCollective.contains(At);
  }
  /// Whether \p Element is that of an iteration of such a loop, too, and
  /// nothing between the loops stores anything, or may.
  bool follows(PlaceId Collective, SlotId Element) const;

private:
  class Finder;
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<List, 1>> Of;
  llvm::DenseMap<SlotId, std::uint32_t> LoopOfElement;
  llvm::DenseMap<PlaceId, std::uint32_t> LoopOfCollective;
  /// The loops behind which others follow so, by the heads of these.
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<std::uint32_t, 2>> Behind;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_VISITEDLISTS_H
