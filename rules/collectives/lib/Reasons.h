//===- Reasons.h - What decides about a value, or a run ---------*- C++ -*-===//
//
// Of the choices of a run, most decide about nothing that ranks would notice:
// what a log prints, whether a file is written. A choice matters if what it
// decides about is asked for where calls hang on it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_REASONS_H
#define SPMD_COLLECTIVES_REASONS_H

#include <cstdint>

namespace spmd::collectives {

/// A set of choices of a run, by their numbers, and of what ranks know of
/// themselves.
class Reasons {
public:
  static Reasons choice(unsigned Number) {
    return Reasons(std::uint64_t(1) << (Number < Last ? Number : Last));
  }
  static Reasons all() { return Reasons(~std::uint64_t(0)); }
  static Reasons numberOfRanks() { return Reasons(std::uint64_t(1) << 62); }
  static Reasons rank() { return Reasons(std::uint64_t(1) << 63); }

  /// Whether a choice has a bit of its own.
  static bool isTold(unsigned Choice) { return Choice < Last; }

  Reasons() = default;
  Reasons &operator|=(Reasons Other) {
    Bits |= Other.Bits;
    return *this;
  }
  friend Reasons operator|(Reasons A, Reasons B) { return A |= B; }
  bool any() const { return Bits != 0; }
  bool meets(Reasons Other) const { return (Bits & Other.Bits) != 0; }
  Reasons &operator&=(Reasons Other) {
    Bits &= Other.Bits;
    return *this;
  }
  /// Those that are not among \p Others.
  Reasons without(Reasons Others) const { return Reasons(Bits & ~Others.Bits); }

private:
  /// That one and all that follow share a bit.
  static constexpr unsigned Last = 61;
  explicit Reasons(std::uint64_t Bits) : Bits(Bits) {}
  std::uint64_t Bits = 0;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_REASONS_H
