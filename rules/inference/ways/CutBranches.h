//===- CutBranches.h - Branches that are taken one way ----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_CUTBRANCHES_H
#define SPMD_INFERENCE_WAYS_CUTBRANCHES_H

#include "Choices.h"
#include "NumberRange.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules::inference {

/// Cuts the branches of a function while it lives, and those of others that
/// test the same member of what is called the same: `config->stage`.
class CutBranches {
public:
  CutBranches(Module &M, Function &F, const Choice &Chosen) {
    llvm::StringMap<NumberRange> Known;
    for (const auto &[Block, Is] : Chosen)
      if (const BranchTest &Test = *F.Blocks[Block].Test; isOfMember(Test))
        knownOf(Known, M, F, Chosen, Test).assume(Test, Is);
    if (!Known.empty())
      cutOthers(M, F, Known);
    for (const auto &[Block, Is] : Chosen)
      cut(F, F.Blocks[Block], Is);
  }
  CutBranches(const CutBranches &) = delete;
  /// Of which functions.
  std::vector<const Function *> functions() const {
    llvm::SmallSetVector<const Function *, 4> Out;
    for (const Uncut &Was : Before)
      Out.insert(Was.In);
    return {Out.begin(), Out.end()};
  }
  ~CutBranches() {
    for (Uncut &Was : llvm::reverse(Before)) {
      Was.Of->Successors = std::move(Was.Successors);
      Was.Of->Test = std::move(Was.Test);
    }
  }

private:
  /// What is known of the number that \p Test tests. If it is told apart from
  /// others, and can be but one of those that are named, it is that one.
  static NumberRange &knownOf(llvm::StringMap<NumberRange> &Known,
                              const Module &M, const Function &F,
                              const Choice &Chosen, const BranchTest &Test) {
    const auto [It, New] = Known.try_emplace(Test.Of, lowest(M, Test));
    const NamedNumbers Named =
        New ? namedNumbers(M, F, Chosen, Test) : NamedNumbers();
    if (Named.OnWay.size() == 1 && !Named.Others.empty())
      It->second.assume(
          {Test.K, Test.Of, BranchTest::Relation::Equal, *Named.OnWay.begin()},
          true);
    return It->second;
  }
  /// The least that the number of \p Test may be: what nobody compares with
  /// something negative says how many, or which.
  static std::int64_t lowest(const Module &M, const BranchTest &Test) {
    const auto MayBeNegative = [&](const Block &B) {
      return B.Test && isOfMember(*B.Test) && B.Test->Of == Test.Of &&
             B.Test->To < (B.Test->R == BranchTest::Relation::Less ? 1 : 0);
    };
    return llvm::any_of(M.Functions,
                        [&](const auto &G) {
                          return llvm::any_of(G->Blocks, MayBeNegative);
                        })
               ? std::numeric_limits<std::int64_t>::min()
               : 0;
  }
  void cutOthers(Module &M, const Function &F,
                 const llvm::StringMap<NumberRange> &Known) {
    for (const auto &G : M.Functions)
      for (Block &B : G->Blocks) {
        if (G.get() == &F || !B.Test || !isOfMember(*B.Test) ||
            B.Successors.size() != 2)
          continue;
        const auto Of = Known.find(B.Test->Of);
        if (Of == Known.end())
          continue;
        if (const auto Answer = Of->second.decides(*B.Test))
          cut(*G, B, *Answer);
      }
  }
  void cut(const Function &In, Block &B, bool Is) {
    Before.push_back({&In, &B, B.Successors, *B.Test});
    // A loop that comes to these elements ends as well.
    if (!Is || !isOfElements(*B.Test) || !beginsLoop(In, B))
      B.Successors = {B.Successors[Is ? 0 : 1]};
    // A call with another number never comes there: see Dataflow.
    if (!Is)
      B.Test = B.Test->negated();
  }

  static bool beginsLoop(const Function &In, const Block &B) {
    const auto To = static_cast<std::uint32_t>(&B - In.Blocks.data());
    for (std::uint32_t From = To; From != In.Blocks.size(); ++From)
      if (llvm::is_contained(In.Blocks[From].Successors, BlockId(To)))
        return true;
    return false;
  }

  struct Uncut {
    const Function *In;
    Block *Of;
    llvm::SmallVector<BlockId, 2> Successors;
    BranchTest Test;
  };
  std::vector<Uncut> Before;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_CUTBRANCHES_H
