//===- CallersOnWay.h - What follows for callers of one way -----*- C++ -*-===//
//
// `if (c->flag) all_reduce(x);` in a wrapper is for its callers what it would
// be in their own code, unless they know more of what decides there.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_CALLERSONWAY_H
#define SPMD_INFERENCE_WAYS_CALLERSONWAY_H

#include "Choices.h"
#include "Deciders.h"
#include "OwnersChoices.h"

#include "spmd/inference/Limits.h"
#include "spmd/inference/Violation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

class CallersOnWay {
public:
  /// Of the function \p F where its branches decide as \p Chosen says.
  CallersOnWay(const Module &M, const Function &F, const Choice &Chosen);

  /// Whether what is tested is an option of the object that F is called on.
  bool isOptionIn(const OwnersChoices &Owners) const {
    return llvm::any_of(Numbers, [&](const auto &Name) {
      return Owners.contains(F, Name.getKey());
    });
  }
  /// Whether what is tested is made of a number that some call of F computes:
  /// in a loop the next call may be on another way.
  bool mayDifferBetweenCalls() const;
  /// Whether \p V, in a function that calls F, comes of the call whatever else
  /// decides.
  bool follows(const Violation &V);
  /// The same of a contract that holds when \p G returns.
  bool followsAtExit(const Function &G) {
    return callBlock(G, Limits::WayCallDepth).has_value();
  }

private:
  std::optional<std::uint32_t> callBlock(const Function &G, unsigned Depth);
  bool isCalledAnyway(const Function &G, std::uint32_t Block);
  bool isOnNumber(const BranchTest &Test) const;
  bool isDecidedByArgument(const Function &G, const CallFact &Call);
  bool isGivenUnknown(const Function &G, const CallFact &Call, SlotId Given,
                      llvm::StringRef Name) const;
  bool isInBranch(const Function &G, std::uint32_t Block);
  bool setsNumber(const Function &G, bool OfOthers);
  bool isSwitchedIn(const Function &G);
  bool isReachedAnyway(const Function &G, std::uint32_t Block);
  bool follows(const Function &G, std::optional<std::uint32_t> At);
  const Deciders &decidersOf(const Function &G);
  llvm::BitVector deciding(const Deciders &D, std::uint32_t Block) const {
    return OfData ? D.allOf(Block) : D.of(Block);
  }

  const Module &M;
  const Function &F;
  /// The way of a number that is none of those that are named: nobody goes it.
  const bool IsRest;
  llvm::StringSet<> Tested;   ///< by name: `flag` of `c->flag`
  llvm::StringSet<> Numbers;  ///< these, and what locals among them are made of
  llvm::StringSet<> Counters; ///< what callers that count call them
  /// They count F's own iterations: callers have nothing to do with them.
  bool OfCounters = false;
  /// They are computed: what else data decide may have to do with them.
  bool OfData = false;
  llvm::DenseMap<const Function *, std::unique_ptr<Deciders>> Of;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_CALLERSONWAY_H
