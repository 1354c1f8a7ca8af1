//===- Render.h - Violations as diagnostics ---------------------*- C++ -*-===//

#ifndef SPMD_LINT_RENDER_H
#define SPMD_LINT_RENDER_H

#include "spmd/fixits/Edits.h"
#include "spmd/lint/Check.h"

namespace spmd::lint {

/// How one kind of violation is told. Each check of lint/checks that speaks
/// about a violation registers one.
struct ViolationText {
  rules::ViolationKind Kind;
  llvm::StringRef Check;
  /// What is wrong, then why in one clause.
  std::string (*Message)(const rules::Violation &,
                         const fixits::SourceEnvironment &);
};

class ViolationTextRegistration {
public:
  explicit ViolationTextRegistration(const ViolationText &Text);
};

/// The diagnostic for \p V: message, where each operand got its type, the calls
/// that led here, and the repairs with their edits.
Diagnostic renderViolation(const rules::Violation &V,
                           llvm::ArrayRef<fixits::Repair> Repairs,
                           const fixits::SourceEnvironment &Source);

/// Why a value is of the type that it has from there: "declared here"; empty
/// where there is nothing to say.
std::string reasonOf(const rules::Origin &From, rules::TypeSet Is);

/// For the checks' messages: "'x' is R", "R on 'tp'".
std::string nameAndType(const rules::ViolationOperand &O,
                        const rules::Violation &V,
                        const fixits::SourceEnvironment &Source);
/// One operator of a chain: "all_gather from S(0) to I".
std::string chainLink(const rules::TransferFact &T);
/// The first operand with exactly the type \p T, or null.
const rules::ViolationOperand *operandOfType(const rules::Violation &V,
                                             rules::LocalType T);
/// The first operand other than \p O, or null.
const rules::ViolationOperand *operandBeside(const rules::Violation &V,
                                             const rules::ViolationOperand *O);
/// Of a value that only some ranks have changed: "'x' was I on 'tp' until some
/// ranks went another way, and 'mul' uses it".
std::string usedAfterDivergence(const rules::Violation &V, rules::LocalType Was,
                                const fixits::SourceEnvironment &Source);

} // namespace spmd::lint

#endif // SPMD_LINT_RENDER_H
