//===- Observe.h - What is told of a function's types -----------*- C++ -*-===//
//
// Each definition's type, for --dump-types, and whether there is one at all,
// for the coverage of a run. Nothing is told before the states have settled.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_OBSERVE_H
#define SPMD_INFERENCE_BODY_OBSERVE_H

#include "Body.h"

namespace spmd::rules::inference {

void observeParameters(Body &In);
/// The fact \p X has run.
void observe(Body &In, const Fact &X);
/// A collective over \p Span is given \p Value.
void noteGiven(Body &In, PlaceId At, const AbstractValue &Value,
               llvm::ArrayRef<AxisId> Span);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_OBSERVE_H
