//===- LocalType.h - The four local SPMD types and sets of them -*- C++ -*-===//
//
// The closed algebra of the type system, shared by the linter and the runtime.
// C++17, standard library only. Source of the rules: SPMD types for
// PyTorch, a type system of distributed training code, "Local SPMD".
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_LOCALTYPE_H
#define SPMD_TYPES_LOCALTYPE_H

#include <cstdint>

namespace spmd::rules {

/// How a tensor and its gradient are distributed over one mesh axis.
enum class LocalType : std::uint8_t {
  R, ///< replicate: same value on all ranks, gradient partial
  I, ///< invariant: same value on all ranks, gradient the same on all ranks
  V, ///< varying: each rank has its own value, gradient varying
  P, ///< partial: a sum over the ranks is pending, gradient replicate
};

inline constexpr int NumLocalTypes = 4;
inline constexpr LocalType AllLocalTypes[NumLocalTypes] = {
    LocalType::R, LocalType::I, LocalType::V, LocalType::P};

/// The type of the gradient of a value of type \p T.
constexpr LocalType dual(LocalType T) {
  return T == LocalType::R   ? LocalType::P
         : T == LocalType::P ? LocalType::R
                             : T;
}

constexpr char letter(LocalType T) { return "RIVP"[static_cast<int>(T)]; }

constexpr const char *longName(LocalType T) {
  constexpr const char *Names[] = {"replicate", "invariant", "varying",
                                   "partial"};
  return Names[static_cast<int>(T)];
}

/// A set of local types: the abstract value of one tensor on one axis. The
/// full set means "unknown"; the empty set means "no legal type is left".
class TypeSet {
public:
  constexpr TypeSet() = default;
  constexpr TypeSet(LocalType T) : Bits(1u << static_cast<unsigned>(T)) {}

  static constexpr TypeSet all() { return fromBits(0xF); }
  static constexpr TypeSet none() { return TypeSet(); }
  static constexpr TypeSet fromBits(unsigned B) {
    TypeSet S;
    S.Bits = static_cast<std::uint8_t>(B & 0xF);
    return S;
  }

  constexpr bool contains(LocalType T) const {
    return (Bits >> static_cast<unsigned>(T)) & 1u;
  }
  constexpr bool empty() const { return Bits == 0; }
  constexpr bool isAll() const { return Bits == 0xF; }
  constexpr bool isSingle() const { return Bits && !(Bits & (Bits - 1)); }
  constexpr int size() const {
    return (Bits & 1) + ((Bits >> 1) & 1) + ((Bits >> 2) & 1) +
           ((Bits >> 3) & 1);
  }
  /// The one member of a single-element set.
  constexpr LocalType single() const {
    for (LocalType T : AllLocalTypes)
      if (contains(T))
        return T;
    return LocalType::R;
  }
  constexpr unsigned bits() const { return Bits; }
  constexpr bool subsetOf(TypeSet O) const { return !(Bits & ~O.Bits); }

  friend constexpr TypeSet operator|(TypeSet A, TypeSet B) {
    return fromBits(A.Bits | B.Bits);
  }
  friend constexpr TypeSet operator&(TypeSet A, TypeSet B) {
    return fromBits(A.Bits & B.Bits);
  }
  friend constexpr TypeSet operator-(TypeSet A, TypeSet B) {
    return fromBits(A.Bits & ~B.Bits);
  }
  constexpr TypeSet &operator|=(TypeSet B) { return *this = *this | B; }
  constexpr TypeSet &operator&=(TypeSet B) { return *this = *this & B; }
  friend constexpr bool operator==(TypeSet A, TypeSet B) {
    return A.Bits == B.Bits;
  }
  friend constexpr bool operator!=(TypeSet A, TypeSet B) { return !(A == B); }

private:
  std::uint8_t Bits = 0;
};

constexpr TypeSet operator|(LocalType A, LocalType B) {
  return TypeSet(A) | TypeSet(B);
}

/// The gradient's set, member by member.
constexpr TypeSet dual(TypeSet S) {
  TypeSet Out;
  for (LocalType T : AllLocalTypes)
    if (S.contains(T))
      Out |= dual(T);
  return Out;
}

static_assert(dual(dual(TypeSet::all())) == TypeSet::all());
static_assert(dual(LocalType::R | LocalType::I) ==
              (LocalType::P | LocalType::I));

} // namespace spmd::rules

#endif // SPMD_TYPES_LOCALTYPE_H
