//===- GrowingLists.h - Copies of lists that more is put into ---*- C++ -*-===//
//
// What is put into the copy of a list of tensors is not put into the list:
// `all = weights; all.push_back(moment); return all` leaves `weights` alone. A
// copy that is used for more here is a name of the list, so that what is done
// to all of its tensors is done to those of the list; not where it has those of
// a module and others, as an optimizer of two modules does.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GROWINGLISTS_H
#define SPMD_LINT_LOWER_GROWINGLISTS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class GrowingLists {
public:
  explicit GrowingLists(const clang::FunctionDecl *FD);

  /// Whether the local \p VD is a list, begins as a copy of another, is put
  /// more into, and is then returned or dropped, or begins with the parameters
  /// of a module.
  bool contains(const clang::VarDecl *VD) const { return Lists.contains(VD); }

private:
  llvm::DenseSet<const clang::VarDecl *> Lists;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GROWINGLISTS_H
