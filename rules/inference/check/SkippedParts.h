//===- SkippedParts.h - Parts that some iterations do not write -*- C++ -*-===//
//
// `for (c = 0; c < n; ++c) { …; if (c == 0) all_reduce(part, out + c * size);
// }` leaves all parts but one of what the function is declared to write. To the
// types all places in a buffer are one: what the first iteration does is done.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_CHECK_SKIPPEDPARTS_H
#define SPMD_INFERENCE_CHECK_SKIPPEDPARTS_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// Reports parameters of \p In that are declared to be written, and of which
/// each iteration of a loop writes a part of its own, but for those that what
/// counts them leaves out.
void checkSkippedParts(Body &In);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_SKIPPEDPARTS_H
