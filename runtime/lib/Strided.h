//===- Strided.h - The outer loops of a strided copy ------------*- C++ -*-===//

#ifndef SPMD_LIB_STRIDED_H
#define SPMD_LIB_STRIDED_H

#include "spmd/strided.h"

namespace spmd {

/// Calls \p Visit(to, from), offsets in bytes, for each place in the first
/// \p Outer dims of \p C.
template <class Fn>
void eachOuter(const StridedCopy &C, std::size_t Outer, Fn Visit) {
  const auto Size = static_cast<std::int64_t>(C.Size);
  std::int64_t At[Shape::MaxRank] = {}, To = 0, From = 0;
  for (;;) {
    Visit(To, From);
    std::size_t D = Outer;
    for (; D > 0; --D) {
      To += C.To[D - 1] * Size;
      From += C.From[D - 1] * Size;
      if (++At[D - 1] != C.Extents[D - 1])
        break;
      To -= C.To[D - 1] * C.Extents[D - 1] * Size;
      From -= C.From[D - 1] * C.Extents[D - 1] * Size;
      At[D - 1] = 0;
    }
    if (D == 0)
      return;
  }
}

/// Whether the innermost dim of \p C, simplified, is dense in both arrays.
inline bool endsInRuns(const StridedCopy &C) {
  const std::size_t Rank = C.Extents.size();
  return Rank && C.To[Rank - 1] == 1 && C.From[Rank - 1] == 1;
}

} // namespace spmd

#endif // SPMD_LIB_STRIDED_H
