//===- ListMembers.h - What all elements of a list have ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_LISTMEMBERS_H
#define SPMD_INFERENCE_PASSES_LISTMEMBERS_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::rules::inference {

/// `info[i].tensor`: what stands for it in all elements, and what numbers them.
class ListMembers {
public:
  explicit ListMembers(const Function &F);

  /// A list, or a member of the structs that are its elements.
  struct OfAll {
    SlotId Slot = SlotId::None;
    SlotId Counter = SlotId::None; ///< None where that is no variable
  };
  /// What stands for \p S in all elements. None if it is in none.
  OfAll of(SlotId S) const;
  /// If \p B has a member of each element name the element of another list that
  /// has the same number, both lists: `info[i].tensor = tensors[i]`.
  std::optional<std::pair<SlotId, SlotId>> pairedBy(const BindFact &B) const;
  /// Whether nobody makes \p Member name anything but elements of one list.
  bool isOfOneList(SlotId Member) const {
    return listsOf(Member).size() == 1 && !Mixed.contains(Member);
  }
  /// The member that names elements of other lists, if \p S is that, or in what
  /// it names; else None.
  SlotId pairedBy(SlotId S) const {
    const auto It = Paired.find(S);
    return It == Paired.end() ? SlotId::None : It->second;
  }
  /// Those lists.
  llvm::ArrayRef<SlotId> listsOf(SlotId PairedMember) const {
    const auto It = Lists.find(PairedMember);
    return It == Lists.end() ? llvm::ArrayRef<SlotId>() : It->second;
  }

private:
  void findElements();
  void pair(SlotId Member, SlotId List);
  SlotId memberOf(SlotId Base, llvm::StringRef Member) const;

  const Function &F;
  llvm::DenseMap<SlotId, OfAll> Elements;
  llvm::DenseMap<SlotId, llvm::SmallVector<SlotId, 4>> Members;
  llvm::DenseMap<SlotId, SlotId> Paired;
  llvm::DenseSet<SlotId> Mixed;
  llvm::DenseMap<SlotId, llvm::SmallVector<SlotId, 1>> Lists;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_LISTMEMBERS_H
