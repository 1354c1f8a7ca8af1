//===- OptimizedModel.h - The module an optimizer is made for ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_OPTIMIZEDMODEL_H
#define SPMD_LINT_LOWER_APIS_OPTIMIZEDMODEL_H

#include "clang/AST/DeclCXX.h"

#include <optional>
#include <vector>

namespace spmd::lint::lower {

/// The member whose parameters \p Optimizer, a member of the same class, has:
/// what every constructor makes it with, `opt_(net_->parameters(), …)`, and no
/// other method changes. Null where that is not known.
const clang::FieldDecl *optimizedModel(const clang::FieldDecl *Optimizer);

/// The same of a list of tensors: `params_(net_->parameters())`, or what a loop
/// over them puts into it.
const clang::FieldDecl *listedModel(const clang::FieldDecl *List);

/// What the bodies and initialisers of its class give \p Member, but for empty
/// pointers; null: something else does. None where a constructor is not seen.
std::optional<std::vector<const clang::Expr *>>
givenTo(const clang::FieldDecl *Member);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OPTIMIZEDMODEL_H
