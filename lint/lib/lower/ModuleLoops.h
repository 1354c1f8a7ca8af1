//===- ModuleLoops.h - Loops over the modules in a module -------*- C++ -*-===//
//
// `for (auto &child : net->children()) for (auto &p : child->parameters()) …`
// comes to each parameter of `net` once: it is a loop over `net->parameters()`.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_MODULELOOPS_H
#define SPMD_LINT_LOWER_MODULELOOPS_H

#include "clang/AST/Decl.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace spmd::lint::lower {

/// A loop whose body asks the modules for their parameters, and for nothing
/// else that differs between them.
struct ModuleLoop {
  const clang::VarDecl *Variable = nullptr;
  const clang::Expr *Of = nullptr; ///< the module that has them
  /// How often a parameter has its turn: again where modules in modules come
  /// with theirs, and by themselves.
  unsigned Turns = 1;
};

class ModuleLoops {
public:
  explicit ModuleLoops(const clang::FunctionDecl *FD);

  const ModuleLoop *find(const clang::Stmt *S) const {
    const auto At = Loops.find(S);
    return At == Loops.end() ? nullptr : &At->second;
  }
  /// The loop whose variable is \p VD.
  const ModuleLoop *elementOf(const clang::VarDecl *VD) const {
    return find(ByVariable.lookup(VD));
  }

private:
  llvm::DenseMap<const clang::Stmt *, ModuleLoop> Loops;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> ByVariable;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_MODULELOOPS_H
