//===- AutogradFunctions.h - torch::autograd::Function ----------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_AUTOGRADFUNCTIONS_H
#define SPMD_LINT_CXX_AUTOGRADFUNCTIONS_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace spmd::lint {

/// The class in which a forward pass leaves what the backward pass takes up.
inline constexpr llvm::StringLiteral AutogradContextName =
    "torch::autograd::AutogradContext";

/// The two passes of a class that derives from torch::autograd::Function.
struct AutogradPasses {
  const clang::CXXMethodDecl *Forward = nullptr;
  const clang::CXXMethodDecl *Backward = nullptr; ///< null: none is declared
};

/// Those that calls of \p Apply, `F::apply`, run; none of other functions.
std::optional<AutogradPasses> autogradPasses(const clang::FunctionDecl *Apply);
/// Whether \p FD is the pass called \p Name, "forward" or "backward", of such
/// a class.
bool isAutogradPass(const clang::FunctionDecl *FD, llvm::StringRef Name);

/// Whether \p E is `ctx->get_saved_variables()`.
bool isSavedVariables(const clang::Expr *E);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_AUTOGRADFUNCTIONS_H
