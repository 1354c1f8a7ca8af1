//===- LowerBraceLists.h - Lists of pointers that have names ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERBRACELISTS_H
#define SPMD_LINT_LOWER_LOWERBRACELISTS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// Where \p VD begins: its elements are what it begins with from here on.
void nameElements(ExprLowering &L, const clang::VarDecl *VD);
/// What element \p Number of \p List is; None of a list that may change.
SlotId namedElement(ExprLowering &L, const clang::VarDecl *List,
                    std::int64_t Number);
/// Begins \p Loop over its lists, or what these have of the elements that it
/// comes to.
void beginLoop(ExprLowering &L, const EachLoop &Loop);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERBRACELISTS_H
