//===- MadeWhole.h - Buffers that ranks are to make the same ----*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_MADEWHOLE_H
#define SPMD_INFERENCE_TRANSFER_MADEWHOLE_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// Whether behind the fact that is looked at a collective leaves the same on
/// all ranks in the storage \p Id, or in what that is a part of: whoever stores
/// something of its own there may count on it. On which ways that is, nobody is
/// asked; what is left at the end is looked at there.
bool isMadeWholeLater(Body &In, CellId Id);
/// \p Callee keeps a module that \p Call gives it as a member, and makes the
/// same on all ranks what it names by that: here it is known by another name.
void forgetMadeWholeByOtherName(Body &In, const Function &Callee,
                                const CallFact &Call);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_MADEWHOLE_H
