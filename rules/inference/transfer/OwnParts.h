//===- OwnParts.h - What each rank takes at its own place -------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_OWNPARTS_H
#define SPMD_INFERENCE_TRANSFER_OWNPARTS_H

#include "domain/Value.h"

namespace spmd::rules::inference {

/// What each rank has of its own in a part of \p Whole that lies at \p Offset,
/// another place on each: its data may tell which, as those of an embedding, or
/// its number.
OwnTerms ownTermsAt(const AxisState &Offset, const AxisState &Whole);
/// On the axes \p Varies each rank takes another struct than the others, of
/// whatever that is.
void takeOwn(AbstractValue &Part, AxisMask Varies);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_OWNPARTS_H
