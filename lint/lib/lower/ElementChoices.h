//===- ElementChoices.h - What is done to some elements only ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_ELEMENTCHOICES_H
#define SPMD_LINT_LOWER_ELEMENTCHOICES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace spmd::lint::lower {

/// By statement that decides it: whether it asks for the gradient, or is inside
/// what does.
using ElementChoices = llvm::DenseMap<const clang::Stmt *, bool>;

/// What names the element of an iteration.
struct NamedElement {
  llvm::SmallPtrSet<const clang::ValueDecl *, 4> Variables;
  llvm::SmallPtrSet<const clang::Expr *, 4> Mentions; ///< `list[i]`
};

/// Adds the conditions in \p Body, of a loop with an \p Element, on which
/// something is done to that: `if (i % 2) continue;` and `if (i % 2)
/// reduce(p);`. What is gathered of some iterations and done to all that at
/// once does not name the element.
void addElementChoices(ElementChoices &To,
                       llvm::ArrayRef<const clang::Stmt *> Body,
                       NamedElement Element);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ELEMENTCHOICES_H
