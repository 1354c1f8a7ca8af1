//===- ModuleCopies.h - Copies that each rank trains by itself --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_MODULECOPIES_H
#define SPMD_LINT_LOWER_APIS_MODULECOPIES_H

#include "clang/AST/Expr.h"

namespace spmd::lint::lower {

/// Whether \p In does something with the parameters themselves of what it makes
/// by \p Clone: who averages them may let each rank change its own first.
bool changesCopy(const clang::FunctionDecl *In, const clang::Expr *Clone);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_MODULECOPIES_H
