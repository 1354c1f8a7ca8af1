//===- Observe.h - What is told of a function's types -----------*- C++ -*-===//
//
// Each definition's type, for --dump-types, what editors show besides, and
// whether there is one at all, for the coverage of a run. Nothing is told
// before the states have settled.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_OBSERVE_H
#define SPMD_INFERENCE_BODY_OBSERVE_H

#include "Body.h"

namespace spmd::rules::inference {

void observeParameters(Body &In);
/// The fact \p X is about to run.
void observeTaken(Body &In, const Fact &X);
/// The fact \p X has run.
void observe(Body &In, const Fact &X);
/// What the body asks of its parameters, and what it returns at \p Exit.
void observeSignature(Body &In, const State &Exit);
/// A collective over \p Span is given \p Value.
void noteGiven(Body &In, PlaceId At, const AbstractValue &Value,
               llvm::ArrayRef<AxisId> Span);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_OBSERVE_H
