//===- Elements.h - From an element type to one of C++ ----------*- C++ -*-===//

#ifndef SPMD_LIB_ELEMENTS_H
#define SPMD_LIB_ELEMENTS_H

#include "spmd/float8.h"
#include "spmd/view.h"

namespace spmd::detail {

/// What \p Do makes of a value of the type that \p Type is; a bool is a byte.
template <class Fn> auto withElement(DType Type, Fn Do) {
  switch (Type) {
  case DType::F16:
    return Do(half());
  case DType::BF16:
    return Do(bfloat16());
  case DType::F32:
    return Do(float());
  case DType::F64:
    return Do(double());
  case DType::I8:
    return Do(std::int8_t());
  case DType::I32:
    return Do(std::int32_t());
  case DType::I64:
    return Do(std::int64_t());
  case DType::U32:
    return Do(std::uint32_t());
  case DType::U64:
    return Do(std::uint64_t());
  case DType::F8E4M3:
    return Do(float8_e4m3());
  case DType::F8E5M2:
    return Do(float8_e5m2());
  default:
    return Do(std::uint8_t());
  }
}

} // namespace spmd::detail

#endif // SPMD_LIB_ELEMENTS_H
