//===- CutBranches.h - Branches that are taken one way ----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_CUTBRANCHES_H
#define SPMD_INFERENCE_WAYS_CUTBRANCHES_H

#include "Choices.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Cuts the branches of a function while it lives, and those of others that
/// test the same member of what is called the same: `config->stage`.
class CutBranches {
public:
  CutBranches(Module &M, Function &F, const Choice &Chosen) {
    for (const auto &[Block, Is] : Chosen)
      if (const BranchTest &Test = *F.Blocks[Block].Test; isOfMember(Test))
        cutOthers(M, F, Test, Is);
    for (const auto &[Block, Is] : Chosen)
      cut(F.Blocks[Block], Is);
  }
  CutBranches(const CutBranches &) = delete;
  ~CutBranches() {
    for (Uncut &Was : llvm::reverse(Before)) {
      Was.Of->Successors = std::move(Was.Successors);
      Was.Of->Test = std::move(Was.Test);
    }
  }

private:
  static bool isOfMember(const BranchTest &Test) {
    const llvm::StringRef Of(Test.Of);
    return (Test.K == BranchTest::Kind::Flag ||
            Test.K == BranchTest::Kind::Number) &&
           (Of.contains('.') || Of.contains("->"));
  }
  /// What follows for \p Other where \p Test is \p Is.
  static std::optional<bool> implied(const BranchTest &Test, bool Is,
                                     const BranchTest &Other) {
    using R = BranchTest::Relation;
    if (Test.R == (Is ? R::Equal : R::Unequal))
      return Other.holdsFor(Test.To);
    if (Other.To == Test.To && Other.R == Test.R)
      return Is;
    return Other.To == Test.To && Other.R == Test.negated().R
               ? std::optional(!Is)
               : std::nullopt;
  }

  void cutOthers(Module &M, const Function &F, const BranchTest &Test,
                 bool Is) {
    for (const auto &G : M.Functions)
      for (Block &B : G->Blocks)
        if (G.get() != &F && B.Test && B.Successors.size() == 2 &&
            B.Test->K == Test.K && B.Test->Of == Test.Of)
          if (const auto Answer = implied(Test, Is, *B.Test))
            cut(B, *Answer);
  }
  void cut(Block &B, bool Is) {
    Before.push_back({&B, B.Successors, *B.Test});
    B.Successors = {B.Successors[Is ? 0 : 1]};
    // A call with another number never comes there: see Dataflow.
    if (!Is)
      B.Test = B.Test->negated();
  }

  struct Uncut {
    Block *Of;
    llvm::SmallVector<BlockId, 2> Successors;
    BranchTest Test;
  };
  std::vector<Uncut> Before;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_CUTBRANCHES_H
