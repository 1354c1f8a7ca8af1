//===- Strip.h - Expressions without what says nothing ----------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_STRIP_H
#define SPMD_LINT_LOWER_STRIP_H

#include "clang/AST/ExprCXX.h"

#include <string>

namespace spmd::lint::lower {

/// An expression without what does not change its value.
const clang::Expr *strip(const clang::Expr *E);
/// \p E without what copies, converts and moves it: what is handed over.
const clang::Expr *handedOver(const clang::Expr *E);
/// The variable, function or member that \p E, as it is, names; null of others.
const clang::ValueDecl *namedBy(const clang::Expr *E);
/// An expression as Clang prints it, without parentheses around it.
std::string printed(const clang::Expr *E, const clang::ASTContext &Ctx);
/// `nullopt`, `{}`, a null pointer, a default-constructed handle.
bool isAbsent(const clang::Expr *E);
/// The member of the object itself that \p E is; null when it is none.
const clang::FieldDecl *memberOfThis(const clang::Expr *E);
/// An object of a lambda's class.
bool isClosure(const clang::Expr *E);
/// The lambda of a call of spmd::local_map; null when \p E is none.
const clang::LambdaExpr *lambdaOfLocalMap(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_STRIP_H
