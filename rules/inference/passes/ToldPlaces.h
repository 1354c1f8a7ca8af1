//===- ToldPlaces.h - Numbers that say where a part lies --------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_TOLDPLACES_H
#define SPMD_INFERENCE_PASSES_TOLDPLACES_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// Whether \p Target looks for its part of something at a place that is
/// computed of \p Number, a parameter; or \p Caller does, by what \p Call
/// returns of that.
bool tellsPlace(const Function &Caller, const CallFact &Call,
                const Function &Target, SlotId Number);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_TOLDPLACES_H
