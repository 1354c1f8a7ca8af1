//===- BraceLists.h - Lists of pointers that have names ---------*- C++ -*-===//
//
//   float *list[2] = {l->dw, l->db};
//   for (int i = 1; i < 2; i++) reduce(list[i]);
//
// What is done to `list[1]`, or by a loop that comes to it, is done to `l->db`,
// and to nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_BRACELISTS_H
#define SPMD_LINT_LOWER_BRACELISTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <optional>

namespace spmd::lint::lower {

/// The names that the local list \p VD of pointers to numbers begins with, if
/// it keeps these in all of its function, which asks for them by constants or
/// in loops over a part of them; null of other lists.
const clang::InitListExpr *keptElements(const clang::VarDecl *VD);

/// Elements of such a list.
struct ElementRange {
  unsigned First, Behind;
};
/// Those of the list \p List that \p Loop comes to, where constants say so,
/// and there are others.
std::optional<ElementRange> partGoneOver(const clang::Stmt *Loop,
                                         const clang::Expr *List);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BRACELISTS_H
