//===- OpArgument.h - What a call passes besides tensors --------*- C++ -*-===//
//
// Which dims an op reduces, swaps or joins, and to which sizes it reshapes. An
// argument that is not known when the program is read stays in the list without
// a value: an op whose dims nobody knows is not an op without dims.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPARGUMENT_H
#define SPMD_OPS_OPARGUMENT_H

#include "spmd/types/Extent.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace spmd::rules {

enum class SlotId : std::uint32_t;

/// A number, or a product of sizes of tensors and of variables that do not
/// change: `x.size(2) / heads` has the terms {x, 2} and {heads, -1}.
struct SizeTerm {
  SlotId Tensor{~0u};   ///< the size of its dim Dim on this rank, or
  int Dim = 0;          ///< may count from the last
  std::string Variable; ///< the value of a variable
  int Exponent = 1;

  friend bool operator==(const SizeTerm &, const SizeTerm &) = default;
};
struct SizeValue {
  std::int64_t Number = 1;
  llvm::SmallVector<SizeTerm, 1> Terms;
  std::int64_t Divisor = 1; ///< positive, without a common factor with Number

  /// Known when the program is read.
  bool isNumber() const { return Terms.empty() && Divisor == 1; }
  friend bool operator==(const SizeValue &, const SizeValue &) = default;
};
/// Quotients are taken for exact. Nothing when a number gets too large or the
/// divisor is zero.
std::optional<SizeValue> multiply(const SizeValue &A, const SizeValue &B);
std::optional<SizeValue> divide(const SizeValue &A, const SizeValue &B);

/// An element is empty when it is not known.
using SizeList = llvm::SmallVector<std::optional<SizeValue>, 4>;

struct OpArgument {
  std::string Name; ///< of the C++ parameter
  /// Nothing: not known. A bool, an integer, a list of them, a string; or
  /// "no value" for `std::nullopt` and empty optional lists.
  struct None {
    friend bool operator==(None, None) { return true; }
  };
  std::optional<std::variant<None, bool, SizeValue, SizeList, std::string>>
      Value;

  friend bool operator==(const OpArgument &, const OpArgument &) = default;
};

} // namespace spmd::rules

#endif // SPMD_OPS_OPARGUMENT_H
