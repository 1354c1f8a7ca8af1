//===- Constructors.h - What make_unique and its like call ------*- C++ -*-===//
//
// Bodies of the library's functions are not read, so that the constructor which
// they call at the end is found by its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_CONSTRUCTORS_H
#define SPMD_LINT_CXX_CONSTRUCTORS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"

namespace spmd::lint {

/// The constructor of \p Made that takes \p Arguments as they are, or the only
/// one that takes as many; null where there is none, or more than one.
const clang::CXXConstructorDecl *
constructorFor(clang::QualType Made,
               llvm::ArrayRef<const clang::Expr *> Arguments);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_CONSTRUCTORS_H
