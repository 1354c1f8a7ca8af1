//===- DecidingNumbers.cpp - The numbers that choose ways -----------------===//

#include "DecidingNumbers.h"

#include "Choices.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

/// Whether another condition of \p F is on data that \p Test is on: one of
/// them may follow from the other.
static bool hasLikeIt(const Function &F, const BranchTest &Test) {
  const llvm::StringSet<> Names = numbersIn(Test.Of);
  return llvm::any_of(F.Blocks, [&](const Block &B) {
    return B.Test && B.Test->Of != Test.Of && isOnData(*B.Test) &&
           llvm::any_of(numbersIn(B.Test->Of), [&](const auto &Name) {
             return Names.contains(Name.getKey());
           });
  });
}

Deciding decidingIn(Function &F, const CollectiveCallers &Collected,
                    bool Doubted) {
  Tests All;
  llvm::StringMap<std::size_t> Of;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
    const Block &Here = F.Blocks[B];
    if (!Here.Test || Here.Successors.size() != 2)
      continue;
    const std::uint32_t Loop = index(Here.Test->Loop);
    const auto [It, New] =
        Of.try_emplace(Here.Test->Of + '@' + std::to_string(Loop), All.size());
    if (New)
      All.emplace_back();
    All[It->second].push_back(B);
  }
  if (All.empty())
    return {};
  const ControlFlow Flow(F);
  Tests Out, ByData, OfTypes;
  for (std::vector<std::uint32_t> &On : All) {
    const bool Communicates = llvm::any_of(On, [&](std::uint32_t B) {
      // Those of a loop, wherever in it they part.
      return isOfElements(*F.Blocks[B].Test) ||
             Collected.isDoneIn(F, Flow.divergenceAt(B).Between);
    });
    const bool Data = isOnData(*F.Blocks[On.front()].Test);
    if (!Data || (Communicates && !hasLikeIt(F, *F.Blocks[On.front()].Test)))
      (Data ? ByData : Communicates ? Out : OfTypes).push_back(std::move(On));
  }
  llvm::append_range(Out, ByData);
  const std::size_t OfCollectives = Out.size();
  if (Doubted)
    llvm::append_range(Out, OfTypes);
  if (Out.empty())
    return {};
  return {&F, std::move(Out), OfCollectives};
}

} // namespace spmd::rules::inference
