//===- PutFunctions.h - Functions put into members --------------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_PUTFUNCTIONS_H
#define SPMD_LINT_CXX_PUTFUNCTIONS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint {

/// The function \p Is is put into the member \p Field by the body \p In; null
/// where nobody knows which function, and what a variable begins with is in no
/// body.
using PutFn = llvm::function_ref<void(const clang::FieldDecl *Field,
                                      const clang::FunctionDecl *Is,
                                      const clang::FunctionDecl *In)>;

/// Of all that a program can get to.
void forEachPut(llvm::ArrayRef<const clang::FunctionDecl *> Bodies, PutFn Note);

/// Each member that \p List, of a struct, names a value for.
void forEachListed(const clang::InitListExpr *List,
                   llvm::function_ref<void(const clang::FieldDecl *Field,
                                           const clang::Expr *Value)>
                       Note);

/// The member of function type that \p E is; null if it is another thing.
const clang::FieldDecl *functionFieldOf(const clang::Expr *E);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_PUTFUNCTIONS_H
