//===- DeclaredClasses.h - Classes that `Types` describes -------*- C++ -*-===//
//
// `.spmd-tidy` says which classes of the user's are tensors, modules and
// optimizers. The AST keeps that as an attribute of the class, so that whoever
// has a type need not have the configuration as well.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_DECLAREDCLASSES_H
#define SPMD_LINT_CXX_DECLAREDCLASSES_H

#include "spmd/lint/Config.h"

namespace clang {
class ASTContext;
class CXXRecordDecl;
class ValueDecl;
} // namespace clang

namespace spmd::lint {

void declareClasses(clang::ASTContext &Ctx,
                    llvm::ArrayRef<Configured<DeclaredClass>> Types);

/// What \p RD, or else a class that it derives from, is said to be: a name of
/// classKinds(), or nothing.
llvm::StringRef declaredKind(const clang::CXXRecordDecl *RD);
/// What \p Member is for its class: one of ClassKind::Roles, or nothing.
llvm::StringRef declaredRole(const clang::ValueDecl *Member);

/// The method of libtorch that does what \p Member does; empty for none.
std::string sameInLibtorch(const clang::ValueDecl *Member);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_DECLAREDCLASSES_H
