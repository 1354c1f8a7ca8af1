//===- NumberType.h - What C++ types of numbers are -------------*- C++ -*-===//

#ifndef SPMD_OPS_NUMBERTYPE_H
#define SPMD_OPS_NUMBERTYPE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace spmd::rules {

/// Types of one kind and size are one, whatever they are called.
struct NumberType {
  enum class Kind : std::uint8_t { Signed, Unsigned, Real } K = Kind::Signed;
  unsigned Bits = 0;

  bool isReal() const { return K == Kind::Real; }
  friend bool operator==(const NumberType &, const NumberType &) = default;
};

/// Where a target may differ.
struct NumberSizes {
  unsigned Long = 64, LongDouble = 128;
};

/// None for what holds bytes or characters, or is no number.
std::optional<NumberType> numberType(llvm::StringRef Name,
                                     NumberSizes Sizes = {});

} // namespace spmd::rules

#endif // SPMD_OPS_NUMBERTYPE_H
