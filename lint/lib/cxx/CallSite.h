//===- CallSite.h - A call in one shape -------------------------*- C++ -*-===//
//
// Calls of functions, methods, operators and kernels look alike to those who
// recognise them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_CALLSITE_H
#define SPMD_LINT_CXX_CALLSITE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace spmd::lint {

struct CallSite {
  const clang::Expr *Call = nullptr;
  const clang::FunctionDecl *Callee = nullptr;
  const clang::Expr *Receiver = nullptr; ///< the object of a method
  llvm::SmallVector<const clang::Expr *, 6> Arguments;
  std::string Name; ///< qualified, without inline namespaces

  explicit CallSite(const clang::Expr *E);
  const clang::Expr *argument(unsigned I) const {
    return I < Arguments.size() ? Arguments[I] : nullptr;
  }
  llvm::StringRef base() const {
    return llvm::StringRef(Name).rsplit("::").second.empty()
               ? llvm::StringRef(Name)
               : llvm::StringRef(Name).rsplit("::").second;
  }
};

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_CALLSITE_H
