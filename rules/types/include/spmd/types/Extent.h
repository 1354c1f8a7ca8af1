//===- Extent.h - The size of a tensor dim ----------------------*- C++ -*-===//
//
// A number times powers of names, such as `8`, `B`, `3*H` or `H/tp`; or
// unknown, `_`. Sizes are positive, so that they can be divided.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_EXTENT_H
#define SPMD_TYPES_EXTENT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace spmd::rules {

class Extent {
public:
  Extent() = default; ///< unknown
  static Extent number(std::int64_t N);
  static Extent name(llvm::StringRef Name);
  /// A name of the program's, not of an annotation: its value may be that of
  /// any other.
  static Extent variable(llvm::StringRef Name);
  /// What an annotation writes: "8", "B", "3*H", "_". Anything else: unknown.
  static Extent parse(llvm::StringRef Text);

  bool isKnown() const { return Known; }
  bool isOne() const { return asNumber() == 1; }
  /// A number or a fraction: no name is in it.
  bool isNumeric() const { return Known && Names.empty(); }
  /// Whether nothing is divided by, so that it is an integer for sure.
  bool isWhole() const;
  std::optional<std::int64_t> asNumber() const;
  /// The one name it is; empty for numbers and products.
  llvm::StringRef asName() const;
  /// With what \p Value says for each name of an annotation.
  Extent substitute(llvm::function_ref<Extent(llvm::StringRef)> Value) const;
  std::string str() const; ///< what parse reads; "H/tp" and "1/2*H" besides

  /// Unknown when a part is, or when a number gets too large.
  friend Extent operator*(const Extent &A, const Extent &B);
  friend Extent operator/(const Extent &A, const Extent &B);
  /// Of spelling: two unknown sizes are equal here.
  friend bool operator==(const Extent &, const Extent &) = default;

private:
  struct Power {
    std::string Name;
    bool IsVariable = false;
    int Exponent = 1;
    friend bool operator==(const Power &, const Power &) = default;
  };

  bool Known = false;
  std::int64_t Numerator = 1, Denominator = 1; ///< reduced
  llvm::SmallVector<Power, 2> Names;           ///< sorted, no exponent is 0
};

/// Whether two sizes are the same. Two names of one scope are two sizes.
enum class SameSize : std::uint8_t { Yes, No, Unknown };
SameSize compare(const Extent &A, const Extent &B);

} // namespace spmd::rules

#endif // SPMD_TYPES_EXTENT_H
