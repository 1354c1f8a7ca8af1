//===- MadeWholeBehind.h - Members that later loops look at -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_MADEWHOLEBEHIND_H
#define SPMD_INFERENCE_PASSES_MADEWHOLEBEHIND_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// Whether what \p Member, of the element that the variable of a loop names, is
/// since \p At may be made whole by a later loop, whose variable is another
/// one: owners update their elements, then all of them are broadcast.
bool mayBeMadeWholeBehind(const Function &F, const Slot &Member, PlaceId At);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_MADEWHOLEBEHIND_H
