//===- OpSpec.h - What [[spmd::op("...")]] says -----------------*- C++ -*-===//
//
// A function whose body cannot be analysed says how it propagates types: by the
// name of a class, or in factor notation, where each dim of each tensor is
// spelled by the loop factors that index it:
//   "m k, k n -> m n"      "... m k, k n -> ... m n"      "b s (h d) -> b s h
//   d"
// A mark behind a factor limits how it may be sharded: `k!` is reduced, `k^`
// must be whole, `k~` is permuted, `k#` is not carried on. `1` is a dim that
// always has size one.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPSPEC_H
#define SPMD_OPS_OPSPEC_H

#include "spmd/ops/OpClass.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace spmd::rules {

/// One factor as it is written in one place.
struct FactorUse {
  std::string Name;
  char Mark = 0; ///< one of !^~#, or none

  friend bool operator==(const FactorUse &, const FactorUse &) = default;
};

/// One dim: a factor, several of them outermost first, or a special one.
struct FactorDim {
  enum class Kind : std::uint8_t {
    Factors,
    Ellipsis, ///< `...`: any number of batch dims
    One,      ///< `1`
  };
  Kind K = Kind::Factors;
  llvm::SmallVector<FactorUse, 1> Factors;

  friend bool operator==(const FactorDim &, const FactorDim &) = default;
};
/// The dims of one tensor; none for a scalar.
using FactorTensor = std::vector<FactorDim>;

struct FactorNotation {
  std::vector<FactorTensor> Operands, Results;

  friend bool operator==(const FactorNotation &,
                         const FactorNotation &) = default;
};

struct OpSpec {
  /// How the op combines local types. Factor notation is an einsum: linear in
  /// each of its operands separately.
  OpClass Class = OpClass::Nonlinear;
  /// "elementwise": non-linear, and each dim is its own factor.
  bool Elementwise = false;
  std::optional<FactorNotation> Factors;

  friend bool operator==(const OpSpec &, const OpSpec &) = default;
};

/// Errors are PayloadErrors.
llvm::Expected<OpSpec> parseOpSpec(llvm::StringRef Payload);
std::string printOpSpec(const OpSpec &S);

} // namespace spmd::rules

#endif // SPMD_OPS_OPSPEC_H
