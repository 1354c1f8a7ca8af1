//===- ApartModules.h - Models that share no layer --------------*- C++ -*-===//
//
// A generator and its judge that a function is given, or that a trainer has:
// nobody sees them made, but their classes say what can be in them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APARTMODULES_H
#define SPMD_LINT_LOWER_APARTMODULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class ValueDecl;
} // namespace clang

namespace spmd::lint::lower {

/// Of \p Objects, parameters, members and variables that one function names,
/// the modules that have no layer in common with another of them: each makes
/// what it has, and no class of another one says that it may be in there.
llvm::SmallVector<const clang::ValueDecl *, 4>
apartModules(llvm::ArrayRef<const clang::ValueDecl *> Objects);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APARTMODULES_H
