//===- ReshardTrial.h - An op whose operands lie otherwise ------*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_RESHARDTRIAL_H
#define SPMD_FIXITS_LIB_RESHARDTRIAL_H

#include "Placement.h"

namespace spmd::fixits {

/// What the rule of a wrong op says of other layouts of its operands.
class ReshardTrial {
public:
  /// By operand what it is to be, null where it stays.
  using Changes = llvm::SmallVector<const Placement *, 4>;

  /// \p Values are those of the operands of \p S.
  ReshardTrial(const rules::OpFact &Fact, const rules::SpecViolation &Wrong,
               const rules::OperandLayouts &S,
               llvm::ArrayRef<std::optional<Placement>> Values)
      : Fact(Fact), Wrong(Wrong), S(S), Values(Values) {}

  /// Whether the factors of the call are those of the violation's rule however
  /// the operands lie: what a view asks for depends on it.
  bool ruleIsSure() const;
  std::variant<rules::Propagation, rules::SpecViolation>
  propagated(const Changes &Now,
             llvm::ArrayRef<rules::AxisId> OutPartial) const;
  bool isRight(const Changes &Now) const;
  /// Whether what is left has nothing to do with the axis that is wrong: with
  /// no other one nothing would be.
  bool isRightOnAxis(const Changes &Now) const;

private:
  bool sizesFit(const Changes &Now) const;

  const rules::OpFact &Fact;
  const rules::SpecViolation &Wrong;
  const rules::OperandLayouts &S;
  llvm::ArrayRef<std::optional<Placement>> Values;
};

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_RESHARDTRIAL_H
