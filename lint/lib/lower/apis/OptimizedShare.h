//===- OptimizedShare.h - What a rank has charge of -------------*- C++ -*-===//
//
// An optimizer that updates some of the parameters on each rank, those that
// `if (owner_[i] == rank_) local.push_back(params_[i]);` puts into its list.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APIS_OPTIMIZEDSHARE_H
#define SPMD_LINT_LOWER_APIS_OPTIMIZEDSHARE_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace spmd::lint::lower {

struct OptimizedShare {
  /// The member whose tensors they are.
  const clang::FieldDecl *List = nullptr;
  /// The members that decide which of them.
  llvm::SmallSetVector<const clang::FieldDecl *, 2> ChosenBy;
};

/// What every constructor gives \p Optimizer, a member of the same class.
std::optional<OptimizedShare> optimizedShare(const clang::FieldDecl *Optimizer);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OPTIMIZEDSHARE_H
