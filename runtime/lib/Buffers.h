//===- Buffers.h - Whether buffers can be worked on -------------*- C++ -*-===//

#ifndef SPMD_LIB_BUFFERS_H
#define SPMD_LIB_BUFFERS_H

#include "spmd/communicator.h"

namespace spmd::detail {

inline constexpr char Overlaps[] = "operand and result overlap in memory";

/// Whether two dense views share memory.
inline bool overlap(const View &A, const View &B) {
  const auto Begin = [](const View &V) {
    return reinterpret_cast<std::uintptr_t>(V.data());
  };
  return A.bytes() && B.bytes() && Begin(A) < Begin(B) + B.bytes() &&
         Begin(B) < Begin(A) + A.bytes();
}

/// Which of both has elements and no address, or one that is not of \p M, and
/// why; empty if none.
inline std::string missing(const Memory &M, const View &In, const View &Out) {
  for (const View *X : {&In, &Out}) {
    if (!X->numel())
      continue;
    const std::string Which = X == &In ? "the operand " : "the result ";
    if (!X->data())
      return Which + "has no memory, its address is null";
    if (const std::string Why = M.refuses(X->data()); !Why.empty())
      return Which + Why;
  }
  return {};
}

/// Whether dims of \p V lead to the same elements: that could not all be
/// written. What only meets by the way of its numbers is not looked for.
inline bool repeatsElements(const View &V) {
  const auto Moves = [&V](std::size_t D) { return V.shape()[D] > 1; };
  for (std::size_t D = 0; V.numel() && D < V.shape().size(); ++D) {
    if (Moves(D) && V.strides()[D] == 0)
      return true;
    for (std::size_t E = 0; E < D; ++E)
      if (Moves(D) && Moves(E) && V.strides()[D] == V.strides()[E])
        return true;
  }
  return false;
}

/// What is wrong with strided ones before they are packed; empty if nothing is.
inline std::string unusable(const Memory &M, const View &In, const View &Out) {
  if (In.isDense() && Out.isDense())
    return {};
  if (std::string Why = missing(M, In, Out); !Why.empty())
    return Why;
  const bool InPlace = In.data() == Out.data() && In.shape() == Out.shape() &&
                       In.strides() == Out.strides();
  return !InPlace && repeatsElements(Out)
             ? "elements of the result lie in one place, by its strides"
             : "";
}

} // namespace spmd::detail

#endif // SPMD_LIB_BUFFERS_H
