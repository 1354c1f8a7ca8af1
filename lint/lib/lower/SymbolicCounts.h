//===- SymbolicCounts.h - Numbers made of numbers that stay -----*- C++ -*-===//
//
// `in * hidden + hidden`: as a polynomial of what keeps its value, so that two
// such numbers are compared without knowing any of them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_SYMBOLICCOUNTS_H
#define SPMD_LINT_LOWER_SYMBOLICCOUNTS_H

#include "Constancy.h"

#include "clang/AST/Expr.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spmd::lint::lower {

class SymbolicCount {
public:
  SymbolicCount() = default;
  explicit SymbolicCount(std::int64_t Number) { add({}, Number); }
  explicit SymbolicCount(std::string Name) { add({std::move(Name)}, 1); }

  /// Whether some `sizeof` is in it: a number of bytes.
  bool IsOfBytes = false;

  bool isZero() const { return Terms.empty(); }
  bool isNumber() const {
    return Terms.empty() || (Terms.size() == 1 && Terms.begin()->first.empty());
  }
  /// Whether it is more than zero, since each name is at least one.
  bool isSurelyPositive() const;

  SymbolicCount operator+(const SymbolicCount &B) const;
  SymbolicCount operator-(const SymbolicCount &B) const;
  SymbolicCount operator*(const SymbolicCount &B) const;
  friend bool operator==(const SymbolicCount &A, const SymbolicCount &B) {
    return A.Terms == B.Terms;
  }

private:
  using Product = std::vector<std::string>; ///< names in order
  void add(const Product &Of, std::int64_t Times);

  std::map<Product, std::int64_t> Terms; ///< none of them zero
};

/// What \p E is, if it is made of numbers that keep their value in the function
/// that \p Constant is of.
std::optional<SymbolicCount> symbolicCount(const clang::Expr *E,
                                           const clang::ASTContext &Ctx,
                                           const Constancy &Constant);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SYMBOLICCOUNTS_H
