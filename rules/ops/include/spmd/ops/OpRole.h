//===- OpRole.h - What an op computes, beyond its class ---------*- C++ -*-===//
//
// A class says how an op combines local types. Some questions need more: who
// adds to a pending sum on one rank alone, which branch one rank takes alone,
// whether the rank's number survives an op. What an op is for them is declared
// as roles, in rules/ops/*.yaml or by the user, and never read off its name.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPROLE_H
#define SPMD_OPS_OPROLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace spmd::rules {

struct OpRule;

enum class OpRole : std::uint8_t {
  Copies,          ///< its result is the value of its only operand
  Adds,            ///< first + second; a third operand scales the second
  Subtracts,       ///< first - second; a third operand scales the second
  Multiplies,      ///< first * second
  Divides,         ///< first / second
  ComparesEqual,   ///< whether first == second
  ComparesUnequal, ///< whether first != second
  Inverts,         ///< whether its only operand is zero or false
  Indexes,         ///< a part that may be assigned to: `x.index({m}) = 0`
  KeepsElements,   ///< elements of the operand that it views, of the same type
  TakesGradients,  ///< of the tensors that its first operand lists
  Draws,           ///< random numbers of its last operand, a generator
  Seeds,           ///< makes the program's generator begin with its operand
  Initialises,     ///< first values, which are the same where generators agree
};
inline constexpr unsigned NumOpRoles = 14;

/// The roles of one op.
class OpRoles {
public:
  constexpr OpRoles() = default;
  constexpr OpRoles(std::initializer_list<OpRole> Roles) {
    for (OpRole R : Roles)
      insert(R);
  }

  constexpr void insert(OpRole R) { Bits |= bit(R); }
  constexpr bool contains(OpRole R) const { return Bits & bit(R); }
  constexpr bool empty() const { return Bits == 0; }

  friend constexpr bool operator==(OpRoles, OpRoles) = default;

private:
  static constexpr std::uint16_t bit(OpRole R) {
    return static_cast<std::uint16_t>(1u << static_cast<unsigned>(R));
  }
  std::uint16_t Bits = 0;
};

llvm::ArrayRef<OpRole> allOpRoles();
/// As it is written: `compares_equal`.
llvm::StringRef opRoleName(OpRole R);
/// One clause for people.
llvm::StringRef opRoleMeaning(OpRole R);

/// Comma-separated.
std::string printOpRoles(OpRoles Roles);

/// The error names the nearest role.
llvm::Expected<OpRole> parseOpRole(llvm::StringRef Name);

/// Why \p Rule cannot have its roles; empty when it can. A rule of another
/// class, or with fewer operands, does not compute what the role says.
std::string roleMisfit(const OpRule &Rule);

} // namespace spmd::rules

#endif // SPMD_OPS_OPROLE_H
