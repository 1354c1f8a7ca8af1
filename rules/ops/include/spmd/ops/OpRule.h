//===- OpRule.h - What one named op does to types ---------------*- C++ -*-===//
//
// A rule is a term over the op's tensor operands, so that fused ops decompose:
//   matmul:  multilinear(self, other)
//   addmm:   linear(self, multilinear(mat1, mat2))
//   where:   multilinear(selector(condition), linear(self, other))
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPRULE_H
#define SPMD_OPS_OPRULE_H

#include "spmd/ops/OpClass.h"
#include "spmd/ops/OpRole.h"
#include "spmd/ops/ShapeRule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace spmd::rules {

/// Sources of values that have no tensor operand.
enum class SourceKind : std::uint8_t {
  Constant, ///< the same on all ranks, no gradient: fits R and I
  Zero,     ///< a constant that is also its own pending sum: fits R, I and P
  Unknown,  ///< random numbers
  Unwritten ///< memory that nobody has written yet: there is no value to know
};

constexpr TypeSet typesOf(SourceKind K) {
  switch (K) {
  case SourceKind::Constant:
    return LocalType::R | LocalType::I;
  case SourceKind::Zero:
    return LocalType::R | LocalType::I | LocalType::P;
  case SourceKind::Unknown:
  case SourceKind::Unwritten:
    return TypeSet::all();
  }
  return TypeSet::all();
}

/// One node of a rule's term.
struct RuleTerm {
  enum class Kind : std::uint8_t { Operand, Source, Apply };
  Kind K = Kind::Operand;
  unsigned Operand = 0; ///< Kind::Operand: index into Formals
  SourceKind Source = SourceKind::Unknown; ///< Kind::Source
  OpClass Class = OpClass::Linear;         ///< Kind::Apply
  std::vector<RuleTerm> Children;          ///< Kind::Apply, in order

  bool is(SourceKind S) const { return K == Kind::Source && Source == S; }
  /// A source of which nothing is known.
  bool isUnknown() const {
    return K == Kind::Source && typesOf(Source).isAll();
  }

  friend bool operator==(const RuleTerm &, const RuleTerm &) = default;
};

/// One tensor (or host scalar) operand of an op.
struct RuleFormal {
  std::string Name;
  /// The C++ parameter it is read from: names or 0-based indices, separated by
  /// '|'. When empty: Name (`self` is also called `input`).
  std::string Param;
  bool Optional = false; ///< written `bias?`; absent operands drop out
  bool Variadic = false; ///< written `tensors*`; takes several operands
  /// Written `C[beta]`: the operand whose literal zero makes this one absent.
  std::string ZeroedBy;

  friend bool operator==(const RuleFormal &, const RuleFormal &) = default;
};

/// How much of its operand's storage a view shares.
enum class ViewKind : std::uint8_t {
  All,
  Part,    ///< written `views: part of self`
  Perhaps, ///< written `views: perhaps self`: all of it, or a copy
};
/// Reads what is before the operand in \p Views.
ViewKind consumeViewKind(llvm::StringRef &Views);

struct OpRule {
  std::string Name;   ///< canonical, e.g. "matmul"
  std::string Family; ///< the YAML file it comes from
  std::vector<RuleFormal> Formals;
  RuleTerm Term;
  /// C++ parameter (name or 0-based index) that receives the result, if any.
  std::string Writes;
  /// What is written has other dims then: `replaces:` in place of `writes:`.
  bool Replaces = false;
  /// The operand whose storage the result shares (a view), if any.
  std::string Views;
  ViewKind HowMuch = ViewKind::All;
  OpRoles Roles;
  std::string TermText; ///< as text, for --explain-op
  /// What the op computes, as the oracle can run it; empty: nothing exact.
  std::string Kernel;
  std::optional<ShapeRule> Shape;     ///< what it does to dims, if known
  std::string Reason;                 ///< why the class is right, one line
  std::vector<std::string> Aliases;   ///< other names in the aten scope
  std::vector<std::string> FullNames; ///< qualified names outside of it
  std::string File;                   ///< where it was read, for messages
  unsigned Line = 0;

  bool is(OpRole R) const { return Roles.contains(R); }

  friend bool operator==(const OpRule &, const OpRule &) = default;
};

/// As it is written after `views:`; empty when the result is no view.
std::string printViews(const OpRule &Rule);

/// The outcome of applying a rule on one axis.
struct RuleResult {
  TypeSet Output;                         ///< empty: no legal combination
  llvm::SmallVector<TypeSet, 4> Narrowed; ///< what is left of each operand
  /// When Output is empty: the innermost application that has no legal
  /// combination, and the operands that gave its children their types.
  const RuleTerm *Culprit = nullptr;
  llvm::SmallVector<unsigned, 4> CulpritOperands;
  /// The sets of the culprit's children, in order.
  llvm::SmallVector<TypeSet, 4> CulpritSets;
};

/// Applies \p Rule to one set per actual operand. \p Actuals maps each actual
/// to its formal's index (variadic formals take several actuals). Exact: an
/// operand keeps a type iff some choice for the others makes the op legal.
/// Without \p HasGradient nothing flows back from the result: I is as good as
/// R among its operands.
RuleResult applyRule(const OpRule &Rule, llvm::ArrayRef<TypeSet> Operands,
                     llvm::ArrayRef<unsigned> FormalOf,
                     bool HasGradient = true);

/// Whether the gradient of the result of \p Term flows on to \p Operand, an
/// index into its formals.
bool passesGradient(const RuleTerm &Term, unsigned Operand);

/// Whether \p Formal is read from the C++ parameter called \p Param at
/// \p Index.
bool readsParameter(const RuleFormal &Formal, llvm::StringRef Param,
                    unsigned Index);

/// What is wrong with a term, and where.
class RuleTermError : public llvm::ErrorInfo<RuleTermError> {
public:
  static char ID;
  RuleTermError(unsigned Column, std::string Message)
      : Column(Column), Message(std::move(Message)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  unsigned Column; ///< 1-based, within the term's text
  std::string Message;
};

/// Parses a rule's term over \p Formals:
///   term = operand | source | class "(" term { "," term } ")"
/// Errors are RuleTermErrors.
llvm::Expected<RuleTerm> parseRuleTerm(llvm::StringRef Text,
                                       llvm::ArrayRef<RuleFormal> Formals);
std::string printRuleTerm(const RuleTerm &Term,
                          llvm::ArrayRef<RuleFormal> Formals);

} // namespace spmd::rules

#endif // SPMD_OPS_OPRULE_H
