//===- strided.h - Copies between strided arrays ----------------*- C++ -*-===//

#ifndef SPMD_STRIDED_H
#define SPMD_STRIDED_H

#include "spmd/shape.h"

namespace spmd {

/// The strides of a dense row-major array, in elements.
inline Shape denseStrides(const Shape &Of) {
  Shape Out = Of;
  std::int64_t Stride = 1;
  for (std::size_t D = Of.size(); D-- > 0; Stride *= Of[D])
    Out[D] = Stride;
  return Out;
}

/// Elements of \c Size bytes that go from one array to another, which do not
/// overlap.
struct StridedCopy {
  Shape Extents;
  Shape To, From; ///< strides, in elements
  std::size_t Size;

  /// The same with as few dims as there can be: no dims of one element, and
  /// neighbours that are one run in both arrays joined. Empty copies have one
  /// dim of no elements.
  StridedCopy simplified() const;
  /// Whether, simplified, it is one dense run.
  bool isRun() const {
    return Extents.empty() ||
           (Extents.size() == 1 && To[0] == 1 && From[0] == 1);
  }
};

} // namespace spmd

#endif // SPMD_STRIDED_H
