//===- HeldFunctions.h - What a variable that is called holds ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_HELDFUNCTIONS_H
#define SPMD_LINT_LOWER_HELDFUNCTIONS_H

#include "cxx/CallSite.h"

#include <vector>

namespace clang {
class LambdaExpr;
} // namespace clang

namespace spmd::lint::lower {

class Constancy;

/// The functions that a function is handed, by parameter; null where it is none
/// or not known.
using HeldFunctions = std::vector<const clang::FunctionDecl *>;

/// The lambda that initialises a pointer to function or a std::function; null
/// if \p Init is something else.
const clang::LambdaExpr *heldLambda(const clang::Expr *Init);

/// What a body knows of the functions that its variables hold.
struct HeldIn {
  const Constancy &Constant;
  const HeldFunctions &Parameters;
};

/// What `f(x)` calls where `f` is a pointer to function, or a std::function,
/// that is never assigned: the function or the lambda's body that it begins
/// with. Null where that is not known.
const clang::FunctionDecl *heldFunction(const clang::Expr *Call,
                                        const HeldIn &Known);

/// The functions that \p C hands to \p Callee, which calls them or hands them
/// on; empty if there are none.
HeldFunctions handedFunctions(const CallSite &C,
                              const clang::FunctionDecl *Callee,
                              const HeldIn &Known);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HELDFUNCTIONS_H
