//===- ListSizes.h - Numbers that say how long a list is --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LISTSIZES_H
#define SPMD_LINT_LOWER_LISTSIZES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace spmd::lint::lower {

/// The list whose size \p E is; null if it is none.
const clang::Expr *listOfSize(const clang::Expr *E);
/// The same for `list.size() / 2` and `list.size() - 1`.
const clang::Expr *listOfPart(const clang::Expr *E);

/// How many elements local vectors have that are made with a number of them,
/// and that nothing gives more, or takes some from.
class MadeSizes {
public:
  explicit MadeSizes(const clang::FunctionDecl *FD) : FD(FD) {}

  /// The number that the vector \p List was made with; null where another one
  /// may be its size.
  const clang::Expr *of(const clang::Expr *List);

private:
  const clang::FunctionDecl *FD;
  /// Looked for when it is first asked for.
  std::optional<llvm::DenseMap<const clang::VarDecl *, const clang::Expr *>>
      Sizes;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LISTSIZES_H
