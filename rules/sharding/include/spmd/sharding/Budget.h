//===- Budget.h - How much a search may do ----------------------*- C++ -*-===//
//
// Counted in steps of about a nanosecond: entries of tables, options that are
// compared, plans. Not in seconds, so that the same is found on any machine.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_BUDGET_H
#define SPMD_SHARDING_BUDGET_H

#include <algorithm>
#include <limits>

namespace spmd::sharding {

class Budget {
public:
  /// There is no end of it.
  Budget() = default;
  explicit Budget(double Steps) : Left(Steps) {}

  /// Of one entry that is filled, and of one plan.
  static constexpr double PerEntry = 20, PerPlan = 30e3;

  /// Whether something that takes so much may be begun.
  bool allows(double Steps) {
    IsCut |= Steps > Left;
    return Steps <= Left;
  }
  bool isSpent() { return !allows(1); }
  void spend(double Steps) { Left = std::max(0.0, Left - Steps); }

  /// Something was not begun.
  bool wasCut() const { return IsCut; }

  /// Takes half of it away, for later.
  double halve() { return Left /= 2; }
  void add(double Steps) { Left += Steps; }

private:
  double Left = std::numeric_limits<double>::infinity();
  bool IsCut = false;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_BUDGET_H
