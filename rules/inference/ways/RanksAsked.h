//===- RanksAsked.h - Of which axis a branch asks the size ------*- C++ -*-===//
//
// `if (tp->getSize() > 1) all_reduce(g, dp);`: where tp has one rank, there may
// be several of dp all the same, and the sum over those is missing.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_RANKSASKED_H
#define SPMD_INFERENCE_WAYS_RANKSASKED_H

#include "Choices.h"

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

/// Whether \p Number of \p F is, as far as its facts tell, made of how many
/// ranks an axis has.
bool isOfRanks(const Function &F, SlotId Number);

/// The axes over which ranks communicate unless the branch at the end of
/// \p Block of \p F is \p Is, if that asks how many ranks others have; none
/// where it asks for something else, or nobody knows of which axis.
llvm::StringSet<> otherAxesLeftOut(const Function &F, const ControlFlow &Flow,
                                   std::uint32_t Block, bool Is);

/// The same on the way that is \p Chosen: of these axes alone something is said
/// then.
llvm::StringSet<> otherAxesLeftOut(const Function &F, const Choice &Chosen);

/// Where some call gives the number of ranks for a parameter, tests of it are
/// tests of that.
void markGivenRanks(Module &M);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_RANKSASKED_H
