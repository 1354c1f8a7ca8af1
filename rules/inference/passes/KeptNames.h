//===- KeptNames.h - What members name for a while --------------*- C++ -*-===//
//
// `old = m->w; m->w = buffer; …; m->w = old;`
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_PASSES_KEPTNAMES_H
#define SPMD_INFERENCE_PASSES_KEPTNAMES_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// Whether \p L is a local of \p F that keeps what \p Member names.
bool keeps(const Function &F, SlotId L, SlotId Member);
/// Whether \p Member is put back to what a local has kept of it: what it names
/// in between stands for that.
bool isPutBack(const Function &F, SlotId Member);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_KEPTNAMES_H
