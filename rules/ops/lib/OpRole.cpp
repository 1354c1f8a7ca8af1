//===- OpRole.cpp - What an op computes, beyond its class -----------------===//

#include "spmd/ops/OpRole.h"
#include "OpNames.h"
#include "spmd/ops/OpRule.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <optional>

namespace spmd::rules {
namespace {

struct RoleEntry {
  OpRole Role;
  llvm::StringLiteral Name;
  llvm::StringLiteral Meaning;
  std::optional<OpClass> Class; ///< of the whole rule, if it matters
  unsigned NumOperands;         ///< at least
};

/// In the order of the enum.
constexpr RoleEntry Roles[] = {
    {OpRole::Copies, "copies", "the result is the value of its operand",
     OpClass::Linear, 1},
    {OpRole::Adds, "adds",
     "the result is the first operand plus the second, which a third may scale",
     OpClass::Linear, 2},
    {OpRole::Subtracts, "subtracts",
     "the result is the first operand less the second, which a third may scale",
     OpClass::Linear, 2},
    {OpRole::Multiplies, "multiplies",
     "the result is the first operand times the second", OpClass::Multilinear,
     2},
    {OpRole::Divides, "divides",
     "the result is the first operand divided by the second", OpClass::Quotient,
     2},
    {OpRole::ComparesEqual, "compares_equal",
     "the result says whether both operands are equal", OpClass::Selector, 2},
    {OpRole::ComparesUnequal, "compares_unequal",
     "the result says whether the operands differ", OpClass::Selector, 2},
    {OpRole::Inverts, "inverts", "the result is true where the operand is not",
     OpClass::Selector, 1},
    {OpRole::Indexes, "indexes", "the result may be assigned to", std::nullopt,
     1},
    {OpRole::KeepsElements, "keeps_elements",
     "the result has elements of the operand that it views, of the same type",
     std::nullopt, 1},
    {OpRole::TakesGradients, "takes_gradients",
     "its operand is the gradients of the tensors that a call gives it",
     std::nullopt, 1},
    {OpRole::Draws, "draws",
     "the result is random numbers of the generator that is its last operand",
     std::nullopt, 1},
    {OpRole::Seeds, "seeds", "the program's generator begins with its operand",
     OpClass::Selector, 1},
    {OpRole::Initialises, "initialises",
     "the result is first values of each rank's own, meant to be the same",
     OpClass::Linear, 1},
};
static_assert(std::size(Roles) == NumOpRoles);

const RoleEntry &entry(OpRole R) { return Roles[static_cast<unsigned>(R)]; }

} // namespace

llvm::ArrayRef<OpRole> allOpRoles() {
  static const auto All = [] {
    std::array<OpRole, NumOpRoles> Out;
    llvm::transform(Roles, Out.begin(),
                    [](const RoleEntry &E) { return E.Role; });
    return Out;
  }();
  return All;
}

llvm::StringRef opRoleName(OpRole R) { return entry(R).Name; }
llvm::StringRef opRoleMeaning(OpRole R) { return entry(R).Meaning; }

std::string printOpRoles(OpRoles Set) {
  std::string Out;
  for (const RoleEntry &E : Roles)
    if (Set.contains(E.Role))
      Out += (Out.empty() ? "" : ", ") + E.Name.str();
  return Out;
}

llvm::Expected<OpRole> parseOpRole(llvm::StringRef Name) {
  llvm::SmallVector<llvm::StringRef, NumOpRoles> Known;
  for (const RoleEntry &E : Roles) {
    if (E.Name == Name)
      return E.Role;
    Known.push_back(E.Name);
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 unknownName("role", Name, Known));
}

std::string roleMisfit(const OpRule &Rule) {
  for (const RoleEntry &E : Roles) {
    if (!Rule.is(E.Role))
      continue;
    if (Rule.Formals.size() < E.NumOperands)
      return "an op that " + E.Name.str() + " has " +
             (E.NumOperands == 1 ? "an operand" : "two operands");
    if (E.Class &&
        (Rule.Term.K != RuleTerm::Kind::Apply || Rule.Term.Class != *E.Class))
      return "an op that " + E.Name.str() + " has a rule '" +
             std::string(opClassName(*E.Class)) + "(…)'";
    if (E.Role == OpRole::KeepsElements && Rule.Views.empty())
      return "an op that " + E.Name.str() + " has the key 'views'";
  }
  return {};
}

} // namespace spmd::rules
