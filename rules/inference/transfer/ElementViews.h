//===- ElementViews.h - Structs that are elements of arrays -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_ELEMENTVIEWS_H
#define SPMD_INFERENCE_TRANSFER_ELEMENTVIEWS_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// What one of several elements is on \p A, where \p All are V only since some
/// other is.
AxisState elementOf(const AbstractValue &All, AxisId A);

/// How an element is one of an array.
struct ElementView {
  std::uint32_t Varies; ///< the axes on which it is another one
  bool IsSome;          ///< one alone
  bool IsPlace;         ///< the same one wherever code names it
};

/// \p Dst is an element of the array \p Of: the fields of a struct that is one
/// are parts of what all elements have there, or those of one of them alone.
void bindElement(Body &In, SlotId Dst, SlotId Of, const ElementView &As);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_ELEMENTVIEWS_H
