//===- HookedModules.h - Modules whose gradients are hooked -----*- C++ -*-===//
//
// `average_gradients_in_hooks(net, group)`, or an object that is made of the
// net and does so, and another function trains it: what its gradients are
// behind a backward pass is the hooks'.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_HOOKEDMODULES_H
#define SPMD_LINT_LOWER_HOOKEDMODULES_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class HookedModules {
public:
  HookedModules() = default;
  /// Of a file with these bodies.
  explicit HookedModules(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  /// Whether code of the file registers hooks that may reduce gradients on what
  /// \p D, a variable, parameter or member, is; maybe by another name.
  bool contains(const clang::ValueDecl *D) const { return Found.contains(D); }
  /// Whether methods of the class of what \p T is, refers to, points to or
  /// holds as a module do so. Who made such an object is not seen, and of a
  /// class template the file may not instantiate the method.
  bool isOfHookingClass(clang::QualType T);

private:
  llvm::DenseSet<const clang::ValueDecl *> Found;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> Classes;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HOOKEDMODULES_H
