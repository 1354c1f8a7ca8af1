//===- HeldFunctions.h - What a variable that is called holds ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_HELDFUNCTIONS_H
#define SPMD_LINT_LOWER_HELDFUNCTIONS_H

namespace clang {
class Expr;
class FunctionDecl;
class LambdaExpr;
} // namespace clang

namespace spmd::lint::lower {

class Constancy;

/// The lambda that initialises a pointer to function or a std::function; null
/// if \p Init is something else.
const clang::LambdaExpr *heldLambda(const clang::Expr *Init);

/// What `f(x)` calls where `f` is a local pointer to function, or a
/// std::function, that is never assigned: the function or the lambda's body
/// that it begins with. Null where that is not known.
const clang::FunctionDecl *heldFunction(const clang::Expr *Call,
                                        const Constancy &Constant);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HELDFUNCTIONS_H
