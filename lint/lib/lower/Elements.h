//===- Elements.h - Elements of arrays, buffers and lists -------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_ELEMENTS_H
#define SPMD_LINT_LOWER_ELEMENTS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// An element of an array, a buffer or a list; the first or the last one where
/// there is no \p Index.
SlotId element(ExprLowering &L, Operand Of, const clang::Expr *Index,
               const clang::Expr *At);
/// The slot of \p E if it is an element of a list whose elements are slots of
/// their own; else None.
SlotId singleElement(ExprLowering &L, const clang::Expr *E);
/// The slot of \p E if it is the element that an iteration of a loop over all
/// elements is for; else None.
SlotId eachElement(const ExprLowering &L, const clang::Expr *E);
/// The list \p List begins with what \p Values gives each element.
void bindElements(ExprLowering &L, SlotId List,
                  const clang::InitListExpr *Values);
/// The object that an in-place op on a chain of views changes; \p Partial is
/// set when the chain selects a part.

/// The object that an in-place op on a chain of views changes.
struct Viewed {
  const clang::Expr *Object = nullptr;
  bool Partial = false;                  ///< the chain selects a part
  const clang::Expr *Position = nullptr; ///< a number that says which
};
Viewed viewedObject(const ExprLowering &L, const clang::Expr *E);
/// What a write to \p Of changes: \p Whole, or its part at the position.
SlotId writtenPart(ExprLowering &L, const Viewed &Of, SlotId Whole,
                   const clang::Expr *At);

/// Whether \p E reads a number of a list: another one of it is not the same.
bool readsElement(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ELEMENTS_H
