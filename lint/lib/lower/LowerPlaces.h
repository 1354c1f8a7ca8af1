//===- LowerPlaces.h - Parts of a buffer under several names ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERPLACES_H
#define SPMD_LINT_LOWER_LOWERPLACES_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// Before anything else of the body: who names a parameter of several places
/// names the first of them. One with an annotation has none, as that is about
/// all of it.
void nameBeginnings(ExprLowering &L);
/// Where all of the body is lowered: what these are.
void bindBeginnings(ExprLowering &L);

/// What a call fills, as long as it is lowered, is the beginning alone.
class FilledPlaces {
public:
  FilledPlaces(ExprLowering &L, const clang::CallExpr *E);
  ~FilledPlaces();

private:
  ExprLowering &L;
  llvm::SmallVector<const clang::ParmVarDecl *, 1> Filled;
};

/// What the pointer at \p Index, a constant, of a list leads to, if nothing
/// changes which that is: \p At; else None. Other pointers lead elsewhere.
SlotId lowerPlaceInList(ExprLowering &L, const clang::Expr *Index,
                        const clang::Expr *At);
/// \p E, if it is a place in such a buffer; else None.
SlotId lowerPlace(ExprLowering &L, const clang::BinaryOperator *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERPLACES_H
