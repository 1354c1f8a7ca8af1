//===- Buffers.h - Whether buffers can be worked on -------------*- C++ -*-===//

#ifndef SPMD_LIB_BUFFERS_H
#define SPMD_LIB_BUFFERS_H

#include "spmd/view.h"

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

/// Which of both has elements and no address; null if none.
inline const char *missing(const View &In, const View &Out) {
  if (!In.data() && In.numel())
    return "the operand has no memory, its address is null";
  if (!Out.data() && Out.numel())
    return "the result has no memory, its address is null";
  return nullptr;
}

} // namespace spmd::detail

#endif // SPMD_LIB_BUFFERS_H
