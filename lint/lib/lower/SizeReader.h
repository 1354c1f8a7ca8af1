//===- SizeReader.h - Sizes, numbers and lists in source code ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_SIZEREADER_H
#define SPMD_LINT_LOWER_SIZEREADER_H

#include "ExprLowering.h"

#include "spmd/ops/OpArgument.h"

namespace spmd::lint::lower {

/// Reads what is known of a value before the program runs: constants, sizes of
/// tensors, variables that do not change, products and quotients of them.
/// Lowers nothing.
class SizeReader {
public:
  explicit SizeReader(ExprLowering &L) : L(L) {}

  std::optional<rules::SizeValue> size(const clang::Expr *E);
  /// One number is a list of one.
  std::optional<rules::SizeList> list(const clang::Expr *E);
  std::optional<bool> boolean(const clang::Expr *E) const;
  std::optional<std::string> string(const clang::Expr *E);

private:
  std::optional<rules::SizeValue> arithmetic(const clang::BinaryOperator *E);
  std::optional<rules::SizeValue> variable(const clang::DeclRefExpr *E);
  std::optional<rules::SizeValue> call(const clang::Expr *E);
  std::optional<rules::SizeValue> dimOf(const clang::Expr *Tensor,
                                        std::optional<rules::SizeValue> Dim);
  std::optional<std::string> path(const clang::Expr *E);
  /// What a local was initialised with, if it still has that value.
  const clang::Expr *initialiser(const clang::Expr *E);

  ExprLowering &L;
  unsigned Depth = 0;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SIZEREADER_H
