//===- Amounts.h - Numbers that say how many --------------------*- C++ -*-===//
//
// `if (n) all_reduce(g, n);`: where there is none of something, nothing is left
// out. `if (zero_stage != 1)` and `if (sync)` say which of several ways is
// gone. C has one type for both: what code does with a number tells.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_AMOUNTS_H
#define SPMD_LINT_LOWER_AMOUNTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace spmd::lint::lower {

class Amounts {
public:
  explicit Amounts(const clang::FunctionDecl *FD) : FD(FD) {}

  /// Whether a number that \p E, a condition, asks for may say how many there
  /// are of something: as it is called, or as the function uses it. \p AsOrder:
  /// it is asked whether that is more or less than another number, as one asks
  /// for amounts.
  bool mayCount(const clang::Expr *E, bool AsOrder) const;

private:
  bool mayBeNumberOf(const clang::ValueDecl *D, bool AsOrder) const;

  using Used = llvm::DenseSet<const clang::ValueDecl *>;
  const clang::FunctionDecl *FD;
  mutable std::optional<Used> Uses; ///< of amounts, once somebody asks
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_AMOUNTS_H
