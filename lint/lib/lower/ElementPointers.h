//===- ElementPointers.h - What elements of lists point to ------*- C++ -*-===//
//
//   for (int i = 0; i < n; i++) net->slots[i].g = net->grads + i * size;
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ELEMENTPOINTERS_H
#define SPMD_LINT_LOWER_ELEMENTPOINTERS_H

#include "PointerOrigins.h"

namespace spmd::lint::lower {

/// A list of structs: a member, or a variable.
struct StructList {
  PointerMember Of;
  const clang::VarDecl *Variable = nullptr;
  explicit operator bool() const { return Of || Variable; }
};

/// A pointer that is put into the struct that is an element of a list.
struct ElementPointer {
  StructList List;
  const clang::FieldDecl *Pointer;
  const clang::Expr *Value;
};

/// `n->s[i].g = …`, `n->s[i] = {…}`, `slots.push_back({…})`.
std::vector<ElementPointer> elementPointersIn(const PointerOrigins &B);

/// What \p Value points into, which may be a vector.
PointerOrigin memoryIn(const PointerOrigins &B, const clang::Expr *Value);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ELEMENTPOINTERS_H
