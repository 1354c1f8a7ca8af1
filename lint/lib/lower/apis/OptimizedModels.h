//===- OptimizedModels.h - The modules of one optimizer ---------*- C++ -*-===//
//
// An optimizer in a member that the constructor makes with a list of the
// parameters of several members: `all = enc_->parameters();
// all.insert(all.end(), more.begin(), more.end()); opt_ =
// std::make_unique<Adam>(all);`
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APIS_OPTIMIZEDMODELS_H
#define SPMD_LINT_LOWER_APIS_OPTIMIZEDMODELS_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::lint::lower {

using ModelFields = llvm::SmallSetVector<const clang::FieldDecl *, 2>;

/// The members whose parameters \p Optimizer, one of the same class, has; none
/// where it may have others, or constructors differ.
ModelFields optimizedModels(const clang::FieldDecl *Optimizer);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OPTIMIZEDMODELS_H
