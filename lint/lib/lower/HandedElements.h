//===- HandedElements.h - Elements that other containers name ---*- C++ -*-===//
//
//   for (Layer &l : net.layers) bucket.push_back(&l);
//   for (Layer *l : bucket) sum(l->grad);
//
// What is done by way of `bucket` is done to some elements of `net.layers`;
// nobody says to which.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_HANDEDELEMENTS_H
#define SPMD_LINT_LOWER_HANDEDELEMENTS_H

#include "spmd/ir/IR.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::lint::lower {

class FactWriter;

class HandedElements {
public:
  /// A pointer to \p Object, a struct, is handed to the container that
  /// \p Container names.
  void note(const rules::Function &F, const clang::Expr *Container,
            rules::SlotId Object);
  /// Where \p VD is named, what the elements of its lists have may become
  /// anything.
  void lose(FactWriter &L, const clang::VarDecl *VD,
            const clang::Expr *At) const;

private:
  llvm::DenseMap<const clang::VarDecl *, llvm::SmallSetVector<rules::SlotId, 2>>
      ListsIn;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HANDEDELEMENTS_H
