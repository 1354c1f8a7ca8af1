//===- OtherFlags.h - Flags that have nothing to do with others -*- C++ -*-===//
//
//   void step(bool sync, bool dry) {
//     if (sync) all_reduce(g);
//     if (dry) return;
//     update(w, g);
//   }
//
// What hangs on a second condition, which may follow from the first, is not
// said. Two flags that a function is given do not follow from each other,
// unless those that call it say so.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_OTHERFLAGS_H
#define SPMD_INFERENCE_WAYS_OTHERFLAGS_H

#include "Choices.h"

#include "llvm/ADT/BitVector.h"

namespace spmd::rules::inference {

/// Whether \p T asks for a flag that the function is given, and no more.
bool isGivenFlag(const BranchTest &T);

/// Whether some call of \p F that is in sight may give the flags that \p Chosen
/// branches ask for the values that they have there; without any, all may.
bool mayBeGiven(const Module &M, const Function &F, const Choice &Chosen);

/// What \p Call hands to parameter number \p I; null if that is computed.
const GivenNumber *givenFor(const CallFact &Call, std::uint32_t I);

/// Whether the branches \p Chosen ask for flags of which each call of \p F that
/// is in sight says what they are: for those who call it there are no ways to
/// choose from.
bool isSaidByCalls(const Module &M, const Function &F, const Choice &Chosen);

/// For each two given flags among \p Numbers, the blocks that test one each, of
/// which either leaves a collective out, the way on which both do. \p
/// Communicates: whether a block has one of its own on one way.
std::vector<Choice> withoutBoth(
    const Module &M, const Function &F,
    llvm::ArrayRef<std::vector<std::uint32_t>> Numbers,
    llvm::function_ref<bool(std::uint32_t Block, bool Is)> Communicates);

/// How the branches \p Others of \p F, as it is with \p Chosen ones cut, decide
/// where \p At is come to; nothing where one of them may follow from \p Chosen.
std::optional<Choice> decideAnyway(const Module &M, const Function &F,
                                   const Choice &Chosen,
                                   const llvm::BitVector &Others,
                                   std::uint32_t At);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_OTHERFLAGS_H
