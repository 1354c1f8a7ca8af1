//===- ListsOfParts.h - Lists of pointers into one buffer -------*- C++ -*-===//
//
// A trainer in one file has all gradients in one buffer, and a list of where
// each begins: `for (int i = 0; i < n; ++i) { grads[i] = at; at += sizes[i];
// }`, in a function that is given both, or where they are declared. What is
// written by way of the list is in the buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_LISTSOFPARTS_H
#define SPMD_LINT_LOWER_LISTSOFPARTS_H

#include "PointerOrigins.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class ListsOfParts {
public:
  ListsOfParts() = default;
  explicit ListsOfParts(llvm::ArrayRef<PointerOrigins> Bodies);

  /// The buffer that all elements of the list \p List point into, wherever it
  /// is named; null: nobody says so, or into several.
  const clang::VarDecl *bufferOf(const clang::VarDecl *List) const {
    return BufferOf.lookup(List);
  }
  /// Whether \p List, a parameter, is a list whose pointers stay as its
  /// function got them.
  bool isOnlyRead(const clang::VarDecl *List) const {
    return OnlyRead.contains(List);
  }
  /// Whether parameter \p I of \p Callee is a list that it makes point into
  /// another one.
  bool isFilledBy(const clang::FunctionDecl *Callee, unsigned I) const {
    const clang::FunctionDecl *Body =
        Callee ? Callee->getDefinition() : nullptr;
    return Body && I < Body->getNumParams() &&
           Filled.contains(Body->getParamDecl(I));
  }

private:
  llvm::DenseMap<const clang::VarDecl *, const clang::VarDecl *> BufferOf;
  llvm::DenseSet<const clang::VarDecl *> Filled, OnlyRead;
};

/// The list of pointers to numbers that \p E is an element of; null if it is
/// none.
const clang::VarDecl *pointerListAt(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LISTSOFPARTS_H
