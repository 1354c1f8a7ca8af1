//===- Cells.cpp - The numbers of abstract storage ------------------------===//

#include "Cells.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

CellNumbers::CellNumbers(const Function &F, unsigned NumPassed)
    : ReturnSlot(static_cast<std::uint32_t>(F.Slots.size())),
      FirstFact(entry(NumPassed)) {
  AfterFacts = FirstFact;
  for (const Block &B : F.Blocks) {
    FirstOfBlock.push_back(AfterFacts);
    AfterFacts += static_cast<CellId>(B.Facts.size());
  }
  Next = AfterFacts;
}

std::optional<std::uint32_t> CellNumbers::blockOfFact(CellId Id) const {
  if (Id < FirstFact || Id >= AfterFacts)
    return std::nullopt;
  const auto After = llvm::upper_bound(FirstOfBlock, Id);
  return static_cast<std::uint32_t>(After - FirstOfBlock.begin() - 1);
}

CellId CellNumbers::mergeAt(std::uint32_t Block, std::uint32_t Slot) {
  const auto [It, New] = Merges.try_emplace(std::pair(Block, Slot), Next);
  if (New) {
    BlockOfMerge[Next++] = Block;
    Merging.insert(Block);
  }
  return It->second;
}

std::optional<std::uint32_t> CellNumbers::blockOfMerge(CellId Id) const {
  const auto It = BlockOfMerge.find(Id);
  return It == BlockOfMerge.end() ? std::nullopt : std::optional(It->second);
}

CellId CellNumbers::gradientAt(CellId Call, unsigned Of) {
  const auto [It, New] = Gradients.try_emplace(std::pair(Call, Of), Next);
  Next += New;
  return It->second;
}

/// \p From and what one gets to from there.
llvm::SmallVector<CellId, 4>
MayAlias::reach(const Edges &Along, llvm::SmallVector<CellId, 4> From) {
  llvm::DenseSet<CellId> Seen(From.begin(), From.end());
  for (std::size_t I = 0; I != From.size(); ++I)
    if (auto It = Along.find(From[I]); It != Along.end())
      for (CellId Found : It->second)
        if (Seen.insert(Found).second)
          From.push_back(Found);
  return From;
}

llvm::SmallVector<CellId, 4> MayAlias::heldBy(CellId Id) const {
  return reach(MergedFrom, {Id});
}

/// In the end both are made of cells that are neither merges nor lists; two
/// cells may be one storage if they have one of these in common.
llvm::SmallVector<CellId, 4> MayAlias::mayBe(CellId Id) const {
  if (!MergedFrom.count(Id) && !MergedInto.count(Id))
    return {};
  llvm::SmallVector<CellId, 4> Storages = heldBy(Id);
  const auto Leaf = [&](CellId X) { return !MergedFrom.count(X); };
  if (llvm::any_of(Storages, Leaf)) // else lists in each other
    llvm::erase_if(Storages, [&](CellId X) { return !Leaf(X); });
  llvm::SmallVector<CellId, 4> Out = reach(MergedInto, std::move(Storages));
  llvm::erase(Out, Id);
  return Out;
}

void MayAlias::mayHold(CellId List, CellId Member) {
  if (Member == List)
    return;
  llvm::SmallVector<CellId, 4> &From = MergedFrom[List];
  if (llvm::is_contained(From, Member))
    return;
  From.push_back(Member);
  MergedInto[Member].push_back(List);
}

} // namespace spmd::rules::inference
